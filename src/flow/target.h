// SPDX-License-Identifier: Apache-2.0
//
// For which GPU target is a source compiled when nobody names one? For that of the device it will run on.
#ifndef FLOW_TARGET_H
#define FLOW_TARGET_H

#include "base/arena.h"

// "sm_90a" for the device "cuda", "cuda:0" or "GPU-..."; NULL when there is no such device to ask: nothing is said then,
// and the build chooses (docs/building.md).
const char *target_of_device(const char *device, struct arena *arena);

// "sm_90" -> "sm_90a": from sm_90 on a card has instructions that only code for it alone may use. NULL stays NULL.
const char *target_of_isa(const char *isa, struct arena *arena);

#endif
