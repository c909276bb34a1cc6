// SPDX-License-Identifier: Apache-2.0
//
// A gate against a revision is decided by that revision's manifest (control/plan/policy_merge.h), unless
// --policy candidate is given or the revision has none.
#ifndef CONTROL_FLOW_GATE_GATE_POLICY_H
#define CONTROL_FLOW_GATE_GATE_POLICY_H

#include "control/flow/session.h"
#include "control/plan/plan.h"
#include "control/plan/policy_merge.h"

// What a person asks for on the command line, over any policy.
struct gate_policy_request {
    const char *whose;                              // --policy; NULL: not given
    const char *candidate, *baseline, *check_suite; // NULL: the manifest's
    bool is_check_skipped;
    const char *metric; // --metric; NULL: not given
    struct gate_spec given;
};

struct gate_policy_outcome {
    const struct policy *record; // NULL: the baseline is no revision
    struct gate_policy decides;
    struct suite baseline_suite; // what the baseline's manifest alone would measure
    bool is_kernel_removed;      // the error: the working tree lacks the kernel that the policy puts on trial
};

int gate_policy_check(const char *whose, struct err *err); // ERR_USAGE: --policy with another word
// Call it when the revision of the base side is checked out. In the session, what decides takes the place of
// the candidate's manifest: thresholds, limits, interpreter, script of the device.
int gate_policy_decide(struct session *session, size_t base_side, const struct gate_policy_request *request,
                       struct gate_policy_outcome *ret, struct err *err);
// Copies the record into the plan, and names the problems that only one of the suites has.
void gate_policy_plan(const struct gate_policy_outcome *outcome, struct plan *plan);
// ERR_USAGE: --policy on a resumed run whose plan has another one.
int gate_policy_check_resumed(const char *whose, const struct plan *plan, struct err *err);

#endif
