// SPDX-License-Identifier: Apache-2.0
//
// A profile by Nsight Compute around a bench of the kernel.
#ifndef CONTROL_FLOW_PROFILE_PROFILE_NCU_H
#define CONTROL_FLOW_PROFILE_PROFILE_NCU_H

#include "control/flow/profile/profile_files.h"

// Leaves page and log in files. ERR_UNAVAILABLE: nothing was counted, with the remedy.
int profile_by_ncu(const struct collecting *c, struct profile_collected *ret, struct err *err);

#endif
