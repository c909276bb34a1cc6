// SPDX-License-Identifier: Apache-2.0
//
// Collects a profile of one kernel on one problem: through Nsight Compute where it is there and may count,
// else by the counters that the process of the kernel reads itself (CUPTI on a GPU, perf events on a
// processor).
#ifndef CONTROL_FLOW_PROFILE_PROFILE_RUN_H
#define CONTROL_FLOW_PROFILE_PROFILE_RUN_H

#include "control/flow/profile/profile_request.h"
#include "control/flow/session.h"

// Everything lives in the session's arena. ERR_UNAVAILABLE: nothing can be counted, with the remedy. In the
// session the kernel becomes its only side.
int profile_collect(struct session *session, const struct profile_request *request,
                    const struct suite_item *item, struct profile_collected *ret, struct err *err);

#endif
