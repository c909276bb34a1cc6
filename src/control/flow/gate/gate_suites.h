// SPDX-License-Identifier: Apache-2.0
//
// Problems that only one side has: the baseline's revision may list a suite that the candidate's manifest has
// cut. A problem that was dropped is not one that got faster: it is listed, and the gate decides.
#ifndef CONTROL_FLOW_GATE_GATE_SUITES_H
#define CONTROL_FLOW_GATE_GATE_SUITES_H

#include "control/flow/session.h"
#include "control/plan/plan.h"
#include "record/decision.h"

// Compares the suite with the baseline's revision's (nothing to do for other baselines): the one of the same
// name where --suite names it, else the one that its manifest gates. Sets plan->gate.removed_problems and
// plan->gate.added_problems.
int gate_compare_suites(struct session *session, size_t base_side, const struct suite *suite,
                        struct plan *plan, struct err *err);
// Appends a case with VERDICT_REMOVED for each name of the comma-separated list (NULL: none).
void gate_add_removed(struct decision *decision, const char *removed_problems, struct arena *arena);

#endif
