// SPDX-License-Identifier: Apache-2.0
//
// One gate of a bisect.
#ifndef CONTROL_FLOW_BISECT_BISECT_GATE_INTERNAL_H
#define CONTROL_FLOW_BISECT_BISECT_GATE_INTERNAL_H

#include "control/flow/bisect/bisect_state.h"

// Builds the commit and gates it against GOOD. *ret lives in the bisect's arena. A commit that does not build
// or is wrong is an answer; errors are those of the machine, of GOOD (ERR_BUILD), or an interrupt. run_id: a
// gate that was begun is gone on with; NULL: a new one.
int bisect_gate(struct bisect *bisect, size_t place, const char *run_id, struct bisect_step *ret,
                struct err *err);

#endif
