// SPDX-License-Identifier: Apache-2.0
//
// The referee: one candidate against one operator, from its file to a verdict and a ratio. It is a short run:
// few checks, drawn anew, and few rounds beside the kernels that it is compared with. What is found out about
// a candidate is data; an error is that there is nothing to judge it by.
#ifndef CONTROL_FLOW_REFEREE_REFEREE_RUN_H
#define CONTROL_FLOW_REFEREE_REFEREE_RUN_H

#include "control/compile/variant.h"
#include "control/exec/scratch_folder.h"
#include "control/flow/fuzz_run.h"
#include "control/flow/referee/referee_keep.h"
#include "record/referee_record.h"

#define REFEREE_ROUNDS       3
#define REFEREE_LIMIT_S      60
#define REFEREE_DOCUMENT     "referee.json"
#define REFEREE_PAIRS        5
#define REFEREE_WARMUP       3 // launches: of slow kernels each takes long
#define REFEREE_STABILIZE_NS UINT64_C(20000000)

struct referee_request {
    struct fuzz_request fuzz;     // session, --distribution, --memory-layout, --no-shrink
    const char *operator_or_file; // as typed; NULL: a definition of a set
    const char *candidate; // a source, a library, FILE.py:FUNCTION, MODULE:FUNCTION, a folder, a kernel
    const char *name;      // in lists; NULL: of its file
    const char *baseline;  // a comma list; NULL: the kernel whose place it takes
    bool is_thorough;      // the whole matrix of the operator
    bool wants_profile;    // --profile: its bottleneck, counted outside of the sandbox
    bool leaves_nothing;   // --leave-nothing: neither its run nor its module stays
    uint32_t round_count;  // 0: nothing is measured
    uint64_t limit_ns;     // of checks and measurements together
    double memory_gb;      // 0: the manifest's
};

struct referee {
    struct referee_request request;
    struct session session;
    struct run run;
    struct referee_keep keep;
    struct referee_record record;
    struct build_limits limits;
    struct scratch_folder scratch; // where its run is, if nothing is left
    uint64_t start_ns, phase_ns;   // when it began, and its present part
};

// Everything. *referee is to be closed with referee_close in any case; its record is complete if 0 is
// returned. Errors: the operator, a baseline or the machine is at fault, or interrupted.
// callbacks: without arg.
int referee_run(struct referee *referee, const struct referee_request *request,
                const struct run_callbacks *callbacks, struct err *err);
// Keeps the answer in the project's store. A warning, in the session's arena; NULL: all is well.
const char *referee_history_keep(struct referee *referee, const struct strbuf *document);
int referee_close(struct referee *referee, struct err *err); // accepts a zeroed one

// ---- parts, a file each ----

// The candidate as the session's first side, and those that it is compared with. referee_sides.c
int referee_add_sides(struct referee *referee, struct err *err);
// What is checked and what is measured. referee_plan.c
int referee_plan(struct referee *referee, struct plan *ret, struct err *err);
// The verdict of the checks so far, and where they fail; false: nothing is wrong. referee_judge.c
bool referee_judge_checks(struct referee *referee);
// How fast it is against each other side. referee_ratio.c
void referee_add_ratios(struct referee *referee);
// What a profiler says of it. referee_profile.c
int referee_profile(struct referee *referee, struct err *err);
// The sentence and the exit code. referee_judge.c
void referee_conclude(struct referee *referee);

#endif
