// SPDX-License-Identifier: Apache-2.0
//
// The policy of a gate against a revision: what the manifests of both sides say about how it is decided, and
// what follows from the two. A pure function: no files, no options.
#ifndef CONTROL_PLAN_POLICY_MERGE_H
#define CONTROL_PLAN_POLICY_MERGE_H

#include "base/arena.h"
#include "control/plan/suite.h"
#include "record/gate_spec.h"
#include "record/policy.h"
#include "record/run_limits.h"
#include "record/sim_script.h"

// What one manifest says. Texts NULL, and numbers 0: none.
struct gate_policy {
    const char *manifest;                  // its path in the repository
    const char *candidate;                 // the kernel on trial; NULL too where a person named it
    const char *metric;                    // gate.metric
    const char *baseline;                  // gate.baseline; NULL too where a person named it
    const struct own_tolerance *tolerance; // of the kernel on trial
    struct gate_spec spec;                 // gate.*
    struct run_limits limits;
    const char *python_interpreter;
    const char *declared;         // operator_name's declaration and reference; NULL: not declared here
    const struct sim_device *sim; // script of the simulated device; NULL: a real one, or not in this manifest
    struct suite suite, check;    // without items: no suite of that name, or not asked for
};

struct policy_question {
    enum policy_source source;
    const char *revision;      // "git:HEAD"
    const char *operator_name; // "operators.rmsnorm": the setting; NULL: of an operator of assay's
    struct gate_policy baseline, candidate;
    struct run_limits default_limits; // what holds without one; 0: nothing does
    // The command line's thresholds (NAN: not given) decide over both manifests. With allows_removed a
    // problem that the baseline alone has is not measured.
    struct gate_spec given;
    const char *given_metric; // --metric, the same; NULL: not given
};

// The policy that decides: of each setting the stricter value, and the baseline's where neither is stricter;
// for other sources than POLICY_BASELINE the candidate's. *ret_record lists all settings that differ; it and
// the suites of the policy live in the arena.
struct gate_policy policy_merge(const struct policy_question *question, struct arena *arena,
                                struct policy *ret_record);

#endif
