// SPDX-License-Identifier: Apache-2.0
//
// Keeps profiles in the project's store.
#ifndef CONTROL_FLOW_PROFILE_PROFILE_HISTORY_H
#define CONTROL_FLOW_PROFILE_PROFILE_HISTORY_H

#include "control/flow/session.h"
#include "report/profile/profile_report.h"

struct profile_source {
    const struct profiled *launch;   // with its problem
    const struct roofline *roofline; // NULL: none
    const struct result *result;     // of the measurement beside it; NULL: none
    uint32_t side;                   // in it
    const char *kernel;              // how the side is called where there is no result
};

// As history_keep: a failure is a warning on *ret_warning (in the session's arena; NULL: all is well).
void profile_history_keep(struct session *session, const struct profile_source *source,
                          const char **ret_warning);

#endif
