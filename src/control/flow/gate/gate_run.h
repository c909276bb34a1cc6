// SPDX-License-Identifier: Apache-2.0
//
// The gate: candidate against baseline, from sides to verdict. Builds both, stops if their machine code is
// equal, checks, measures in rounds until the rule has decided every problem, and sets result and decision.
// control/cmd/gate.c prints them.
#ifndef CONTROL_FLOW_GATE_GATE_RUN_H
#define CONTROL_FLOW_GATE_GATE_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "control/flow/audit_run.h"
#include "control/flow/gate/gate_policy.h"
#include "control/flow/run_folder.h"
#include "control/flow/session.h"

struct gate_request {
    struct session_options session;
    const char *candidate, *baseline; // NULL: the manifest's. baseline: kernel, git:REV, or a result file
    const char *candidate_revision;   // git:REV: the candidate of that revision; NULL: of the working tree
    const char *check_suite;          // NULL: the manifest's, else the operator's
    const char *policy;               // "baseline" or "candidate"; NULL: not given
    const char *accepted;             // why regressions fail nothing; NULL: they do
    const char *expect;               // "improvement" or "improvement:s512,mission"; NULL
    struct gate_spec spec;       // thresholds NAN: the manifest's; without the claim, which is in `expect`
    uint32_t fixed_round_count;  // 0: looks at 5, 10, 15, 20
    uint32_t first_look;         // 3: one more look before these; 0 or 5: none
    bool is_same_measured;       // --measure-same
    bool is_calibration_ignored; // --ignore-calibration
    bool is_explained;           // --explain: what moved, on every problem
    bool is_check_skipped; // --no-check: the matrix was run before; the measured problems are still checked
};

enum gate_stage {
    GATE_STAGE_OPEN = 0,
    GATE_STAGE_BASELINE_BROKEN, // it does not build
    GATE_STAGE_CANDIDATE_BROKEN,
    GATE_STAGE_KERNEL_REMOVED, // the kernel that the baseline's policy puts on trial
    GATE_STAGE_READY,
    GATE_STAGE_DECIDED,
    GATE_STAGE_COUNT
};

struct gate {
    struct gate_request request;
    struct session session;
    struct run run;       // run.result.decision is set when decided
    struct result stored; // the baseline's file, if the baseline is a file
    const char *stored_path;
    bool is_stored_baseline;
    struct gate_policy_outcome policy; // against a revision
    struct audit_faults faults;        // why the candidate's check says nothing, though it passed
    const char *time_over;             // the sentence, once limits.gate_s is over; NULL: it is not
    uint32_t base_side, cand_side; // indices in run.result; base_side in `stored`, if the baseline is a file
    enum gate_stage stage;
};

// Opens the session, adds and builds both sides (when resuming, reads them from the run). ERR_BUILD: stage
// says which side does not build.
int gate_open(struct gate *gate, const struct gate_request *request, struct err *err);
// Makes the plan and opens the run folder. After this gate->run.plan can be shown (--dry-run uses gate_plan
// alone).
int gate_plan(struct gate *gate, struct plan *ret, struct err *err);
int gate_start(struct gate *gate, struct plan *plan, const struct run_callbacks *callbacks, struct err *err);
// Checks, measures, decides; sets run.result.decision and writes result.json. A gate over its time
// (limits.gate_s) decides with what there is.
int gate_decide(struct gate *gate, struct err *err);
// Closes the gate; returns as run_close.
int gate_close(struct gate *gate, struct err *err);

#endif
