// SPDX-License-Identifier: Apache-2.0
//
// Never rerun until green: a gate on code that has failed before is a confirmation on fresh data, and is said to be one
// (statistics 2.4). Earlier gates of the same two machine codes on the same device are found in the output folder.
#ifndef FLOW_GATE_CONFIRMATION_H
#define FLOW_GATE_CONFIRMATION_H

#include "flow/gate_run.h"

// While the plan is made: sets plan->confirms (the failed run's id) and plan->earlier_run_count when the latest run of the
// same code hashes of candidate and baseline, suite and device decided against the candidate (exit code 1 or 3), and
// draws another seed for the plan, so that the data are fresh. No earlier failure: nothing.
int gate_confirmation_plan(struct gate *gate, struct plan *plan, struct err *err);
// The note that says so, with what the earlier run said of which problems.
int gate_confirmation_note(struct gate *gate, struct decision *decision, struct err *err);

#endif
