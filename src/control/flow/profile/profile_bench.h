// SPDX-License-Identifier: Apache-2.0
//
// A bench of the kernel in another process: what Nsight Compute watches, and the time without it.
#ifndef CONTROL_FLOW_PROFILE_PROFILE_BENCH_H
#define CONTROL_FLOW_PROFILE_PROFILE_BENCH_H

#include "control/flow/profile/profile_files.h"
#include "record/result.h"

enum { ARGUMENTS_MAX = 64 };

// Arguments of a program; those beyond the room are dropped.
struct arguments {
    size_t count;
    const char *items[ARGUMENTS_MAX]; // borrowed; NULL ends them
};
void arguments_add(struct arguments *words, const char *const *items); // items end with NULL
void arguments_add_pair(struct arguments *words, const char *option,
                        const char *value); // value NULL: nothing

// The command line of the bench, without the number of samples. assay: this program.
void profile_bench_add(struct arguments *words, const struct collecting *c, const char *assay);

#define PROFILE_BENCH_NOT_KEPT ((const char *const[]){"--no-store", NULL}) // in the history

// Measures the kernel without the profiler, as bench does: the profiler's own durations are no performance.
// *ret is to be freed with result_fini when 0 is returned; it has one case and one side.
int profile_time(struct session *session, const struct profile_request *request,
                 const struct suite_item *item, struct result *ret, struct err *err);

#endif
