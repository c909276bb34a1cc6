// SPDX-License-Identifier: Apache-2.0
//
// A peer is named with the version of its library, since that is what is measured: "cudnn@9.19.0". Which one it
// is only the process knows that computes: PyTorch brings libraries of its own.
#ifndef RECORD_SIDE_VERSION_H
#define RECORD_SIDE_VERSION_H

#include <stdbool.h>

#include "record/result.h"

// Whether a version is the wanted one: "9.19.0" is "9.19" and "9", and not "9.1".
bool side_version_is(const char *version, const char *wanted);

// Keeps the version that ran, and names the side after it: "cudnn" becomes "cudnn@9.19.0". A kernel that did not
// come with assay keeps the name that its user gave it. ERR_UNAVAILABLE: another version was asked for, or ran
// before.
int side_version_take(struct result_side *side, const char *version, struct arena *arena, struct err *err);

#endif
