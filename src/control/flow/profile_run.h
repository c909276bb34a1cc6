// SPDX-License-Identifier: Apache-2.0
//
// Collects a profile: starts Nsight Compute around a bench of one kernel on one problem, in whose process the
// kernel runs (--isolation none), and exports what it counted.
#ifndef CONTROL_FLOW_PROFILE_RUN_H
#define CONTROL_FLOW_PROFILE_RUN_H

#include "control/flow/session.h"
#include "control/profile/nsight_csv.h"

// Every launch that is none of assay's own device kernels.
#define PROFILE_LAUNCHES_DEFAULT "regex:^(?!assay_)"

struct profile_request {
    const char *kernel;   // as for bench: a name of the manifest, or a peer's; NULL: --module has one
    const char *launches; // ncu's --kernel-name
    uint32_t skip_count;  // matching launches before the profiled one
    const char *folder;   // "artifacts/ncu": <problem>.ncu-rep, .csv, .log go there
    uint32_t timed_count; // samples of the run without the profiler; 0: there is none
};

// Where no option names problems: sets the session's from the environment variables of the kernel's operator
// (S, B, H, D of attention). *ret_name: the problem, NULL where none of them is set.
int profile_problem_from_environment(struct session *session, const char *kernel, const char **ret_name,
                                     struct err *err);

// How a problem's files are called, without suffix: the short name, or the name with _ for /.
const char *profile_file_name(const char *short_name, const char *problem, struct arena *arena);

// *ret and *ret_csv (the path of the raw page) live in the session's arena. ERR_UNAVAILABLE: no ncu, no
// permission, another program holds the counters, no launch matched: with the remedy and where the log is.
int profile_collect(struct session *session, const struct profile_request *request,
                    const struct suite_item *item, struct nsight_report *ret, const char **ret_csv,
                    struct err *err);

// Measures the kernel without the profiler, as bench does: the profiler's own durations are no performance.
// *ret is to be freed with result_fini when 0 is returned; it has one case and one side.
int profile_time(struct session *session, const struct profile_request *request,
                 const struct suite_item *item, struct result *ret, struct err *err);

#endif
