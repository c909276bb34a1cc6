// SPDX-License-Identifier: Apache-2.0
//
// For which GPU target is a source compiled when nobody names one? For that of the device it will run on.
#ifndef CONTROL_FLOW_TARGET_H
#define CONTROL_FLOW_TARGET_H

#include "base/arena.h"
#include "base/err.h"

// *ret: "sm_90a" for the device that "cuda", "cuda:0" or "GPU-..." means; NULL: it does not say. ERR_USAGE:
// no such name, or several are meant; ERR_UNAVAILABLE: it is not there.
int target_of_device(const char *device, struct arena *arena, const char **ret, struct err *err);

// "sm_90" -> "sm_90a": from sm_90 on a card has instructions that only code for it alone may use. NULL stays
// NULL.
const char *target_of_isa(const char *isa, struct arena *arena);

#endif
