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
};

// How a problem's files are called, without suffix: the short name, or the name with _ for /.
const char *profile_file_name(const char *short_name, const char *problem, struct arena *arena);

// *ret and *ret_csv (the path of the raw page) live in the session's arena. ERR_UNAVAILABLE: no ncu, no
// permission, another program holds the counters, no launch matched: with the remedy and where the log is.
int profile_collect(struct session *session, const struct profile_request *request,
                    const struct suite_item *item, struct nsight_report *ret, const char **ret_csv,
                    struct err *err);

#endif
