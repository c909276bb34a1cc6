// SPDX-License-Identifier: Apache-2.0
//
// What follows from the steps of a bisect.
#ifndef CONTROL_FLOW_BISECT_BISECT_OUTCOME_INTERNAL_H
#define CONTROL_FLOW_BISECT_BISECT_OUTCOME_INTERNAL_H

#include "control/flow/bisect/bisect_state.h"

// Sets outcome, suspects, sentence and exit code of the record. reason: why it ends before it is certain;
// NULL: it need not.
void bisect_conclude(struct bisect *bisect, const char *reason);

#endif
