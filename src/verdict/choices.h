// SPDX-License-Identifier: Apache-2.0
//
// What the autotuner of a kernel chose in the rounds of a problem: choices that differ explain times that
// do.
#ifndef VERDICT_CHOICES_H
#define VERDICT_CHOICES_H

#include "record/result.h"

// "the autotuner did not choose alike: round 3 chose fwd BLOCK_M=64, the others fwd BLOCK_M=128". NULL: the
// valid rounds agree, or there is no autotuner.
const char *choices_sentence(const struct result_case *item, uint32_t side, struct arena *arena);

#endif
