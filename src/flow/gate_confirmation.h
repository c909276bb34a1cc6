// SPDX-License-Identifier: Apache-2.0
//
// Never rerun until green: a gate on code that has failed before is a confirmation on fresh data, and is said to be one
// (docs/deciding.md, "Confirmation runs"). Earlier gates of the same two machine codes on the same device are found in the
// output folder.
#ifndef FLOW_GATE_CONFIRMATION_H
#define FLOW_GATE_CONFIRMATION_H

#include "flow/gate_run.h"

// When the plan is complete: sets plan->gate.confirms_run_id (the failed run's id) and plan->gate.earlier_run_count when the latest run of
// the same code hashes of candidate and baseline, problems, thresholds, claim and device decided against the candidate
// (exit code 1, or 3 with rounds that count). Then it draws another seed from the plan's and the count, so that the data are
// fresh, whether --seed was given or not. No earlier failure: nothing. Runs that say
// nothing of the code are not counted. Reads at most 200 plans, and the results of those that ask the same.
void gate_confirmation_plan(const struct gate *gate, struct plan *plan);
// After gate_rule_apply(): the sentence and the notes that say so, with what the earlier run said of which problems.
void gate_confirmation_note(struct gate *gate, struct decision *decision);

#endif
