// SPDX-License-Identifier: Apache-2.0
//
// The plan of a new run, from a session: identity, settings and sides first, then its cases.
#ifndef CONTROL_FLOW_RUN_PLAN_H
#define CONTROL_FLOW_RUN_PLAN_H

#include "control/flow/session.h"
#include "control/plan/plan.h"

// "2026-11-21T12:34:56Z", now; and the id of a run of that time: "20261121-123456-gate-3f2a". It sorts by
// time; the tail separates two runs of one second.
const char *run_created_utc(struct arena *arena);
const char *run_id_make(struct arena *arena, const char *created_utc, const char *command);
// A plan with the session's sides and settings and no cases yet.
void run_plan_init(struct plan *plan, const struct session *session, const char *command);
// Where threads run, and how many. Fewer threads than processors run where others do least; all rounds of a
// run, and what is resumed of it, run on the same ones. Of run_plan_init, and again after a wait.
void run_plan_choose_processors(struct plan *plan, const struct session_options *options);
// Leaves the processors that other programs keep busy to them, where we cannot go first and nobody said on
// how many threads to run: with fewer threads, those that are left are not disturbed. For runs whose sides
// are compared with each other only.
void run_plan_leave_busy_processors(struct plan *plan);
// For runs with rounds: few samples a round, more for a noisy problem, because the rule counts rounds.
// --iters has priority.
void run_plan_set_round_sampling(struct plan *plan, const struct session *session);
// The suite that is checked, and the one that is measured: only with inputs that suite_check_measurable lets
// pass (ERR_USAGE).
void run_plan_add_checks(struct plan *plan, const struct suite *suite);
int run_plan_add_cases(struct plan *plan, const struct suite *suite, struct err *err);

#endif
