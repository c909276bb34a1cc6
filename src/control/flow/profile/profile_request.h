// SPDX-License-Identifier: Apache-2.0
//
// What is to be profiled and how, and what came of it.
#ifndef CONTROL_FLOW_PROFILE_PROFILE_REQUEST_H
#define CONTROL_FLOW_PROFILE_PROFILE_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/nsight_csv.h"
#include "profile/profile_sets.h"
#include "record/work_order.h"

enum profiler {
    PROFILER_INVALID = 0,
    PROFILER_AUTO,  // the first that counts
    PROFILER_NCU,   // Nsight Compute, around a bench
    PROFILER_CUPTI, // in the worker, on a GPU
    PROFILER_PERF,  // in the worker, on a processor
    PROFILER_COUNT
};
enum profiler profiler_parse(const char *name);      // "auto", "ncu", "cupti", "perf"
const char *profiler_option(enum profiler profiler); // the same
const char *profiler_name(enum profiler profiler);   // "Nsight Compute", "CUPTI", "perf events"

// Before the launch that ncu counts: enough that its results are not what its outputs hold already. Where a
// launch changes nothing ncu has nothing to restore before each pass, and finds an emptier L2, by the size of
// the outputs, than timed launches do.
enum { PROFILE_LAUNCH_SKIP = 5 };

struct profile_request {
    const char *kernel;    // as for bench: a name of the manifest, or a peer's; NULL: --module has one
    const char *launches;  // which device functions, as ncu's --kernel-name: "regex:flash_fwd"; NULL: all but
                           // assay's own
    uint32_t skip_count;   // ncu: matching launches before the profiled one
    bool restarts_program; // ncu: for each pass, in place of repeating one launch
    const char *folder;    // "artifacts/ncu": <problem>.csv, .log and more go there
    uint32_t timed_count;  // samples of the run without the profiler; 0: there is none
    bool is_private;       // no copies in runs/, where those of `assay profile` lie
    enum profile_set set;
    enum profiler profiler;
    // CUPTI: what launches find in the caches. Rotate: inputs rotate as in timing. Warm: one set of inputs,
    // as Nsight Compute's passes over one launch find it.
    enum cache_mode cache_mode;
};

struct profile_collected {
    enum profiler profiler; // which one counted
    const char *stem;       // of the files: "artifacts/ncu/s512"
    const char *note;       // why it is not the first choice, what was not counted; NULL: nothing to say
    struct nsight_report report;
    size_t chosen; // the launch of the report that is explained
    // What a launch of the kernel runs on a GPU, with durations; empty: not known. The longest that is none
    // of assay's own is profiled.
    struct nsight_report functions;
    size_t function;
};

#endif
