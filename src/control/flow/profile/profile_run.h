// SPDX-License-Identifier: Apache-2.0
//
// Collects a profile of one kernel on one problem: through Nsight Compute where it is there and may count, else
// by the counters that the process of the kernel reads itself (CUPTI on a GPU, perf events on a processor).
#ifndef CONTROL_FLOW_PROFILE_PROFILE_RUN_H
#define CONTROL_FLOW_PROFILE_PROFILE_RUN_H

#include "control/flow/session.h"
#include "control/profile/nsight_csv.h"
#include "control/profile/profile_sets.h"

enum profiler {
    PROFILER_INVALID = 0,
    PROFILER_AUTO,  // the first that counts
    PROFILER_NCU,   // Nsight Compute, around a bench
    PROFILER_CUPTI, // in the worker, on a GPU
    PROFILER_PERF,  // in the worker, on a processor
    PROFILER_COUNT
};
enum profiler profiler_parse(const char *name); // "auto", "ncu", "cupti", "perf"

struct profile_request {
    const char *kernel;   // as for bench: a name of the manifest, or a peer's; NULL: --module has one
    const char *launches; // which device functions, as ncu's --kernel-name: "regex:flash_fwd"; NULL: all but
                          // assay's own
    uint32_t skip_count;  // ncu: matching launches before the profiled one
    const char *folder;   // "artifacts/ncu": <problem>.csv, .log and more go there
    bool is_private;      // no copies in runs/, where those of `assay profile` lie
    enum profile_set set;
    enum profiler profiler;
};

struct profile_collected {
    enum profiler profiler; // which one counted
    const char *stem;       // of the files: "artifacts/ncu/s512"
    const char *note;       // why it is not the first choice, what was not counted; NULL: nothing to say
    struct nsight_report report;
    size_t chosen; // the launch that is explained
};
const char *profiler_name(enum profiler profiler); // "Nsight Compute", "CUPTI", "perf events"

// Everything lives in the session's arena. ERR_UNAVAILABLE: nothing can be counted, with the remedy. In the
// session the kernel becomes its only side.
int profile_collect(struct session *session, const struct profile_request *request,
                    const struct suite_item *item, struct profile_collected *ret, struct err *err);

#endif
