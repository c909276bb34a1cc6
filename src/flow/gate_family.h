// SPDX-License-Identifier: Apache-2.0
//
// Problems that only one side has: the baseline's revision may list a suite that the candidate's manifest has cut. A
// problem that was dropped is not one that got faster: it is listed, and the gate decides.
#ifndef FLOW_GATE_FAMILY_H
#define FLOW_GATE_FAMILY_H

#include "flow/session.h"
#include "plan/plan.h"
#include "record/decision.h"

// Compares the suite with the one of the same name in the baseline's revision (nothing to do for other baselines) and
// notes the names that are gone in plan->removed_problems.
int gate_find_removed(struct session *session, size_t base_side, const struct suite *suite, struct plan *plan,
                      struct err *err);
// Appends a case with VERDICT_REMOVED for each name of the comma-separated list (NULL: none).
void gate_add_removed(struct decision *decision, const char *removed_problems, struct arena *arena);

#endif
