// SPDX-License-Identifier: Apache-2.0
//
// Whether a decision that was read from a file is what the samples of that file give. A report prints a
// decision as it is recorded, so that a changed file would contradict itself unseen. Intervals, p and the
// verdict over all problems are not computed anew: the options of their gate are not in the file.
#ifndef VERDICT_DECISION_CHECK_H
#define VERDICT_DECISION_CHECK_H

#include "base/arena.h"
#include "record/result.h"

// *ret_sentence: on how many problems a recorded median, change or verdict is another one than the samples of
// the rounds give, with the first of them; else, that the exit code is 0 over a problem that fails a gate.
// NULL: neither, or there is nothing to hold it against: no decision by rounds, no samples of both sides.
// -1: no memory.
int decision_check(const struct result *result, struct arena *arena, const char **ret_sentence);

#endif
