// SPDX-License-Identifier: Apache-2.0
//
// A tuning that ended, into the store of its project.
#ifndef CONTROL_FLOW_TUNE_TUNE_HISTORY_H
#define CONTROL_FLOW_TUNE_TUNE_HISTORY_H

#include "control/flow/tune/tune_state.h"

// A failure is one warning (in the session's arena; NULL: all is well).
void tune_history_keep(struct tune *tune, const char **ret_warning);

#endif
