// SPDX-License-Identifier: Apache-2.0
//
// A profile by the counters of the process that holds the kernel: CUPTI, or perf events.
#ifndef CONTROL_FLOW_PROFILE_PROFILE_COUNTERS_H
#define CONTROL_FLOW_PROFILE_PROFILE_COUNTERS_H

#include "control/flow/profile/profile_files.h"

// Leaves page and log in files. ERR_UNAVAILABLE: nothing was counted, with the remedy.
int profile_by_counters(const struct collecting *c, struct profile_collected *ret, struct err *err);

// Which device functions a launch runs, without counters and the permission for them: ret->functions and
// ret->function. ERR_UNAVAILABLE: no CUPTI.
int profile_list_functions(const struct collecting *c, struct profile_collected *ret, struct err *err);

#endif
