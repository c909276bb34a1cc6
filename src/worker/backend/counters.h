// SPDX-License-Identifier: Apache-2.0
//
// Events that the hardware counts while a kernel is launched: CUPTI on a GPU, perf_event_open(2) on a
// processor. For explanations only: the kernel runs in the process that counts, so that it could forge what
// is read, and it runs slower.
#ifndef WORKER_BACKEND_COUNTERS_H
#define WORKER_BACKEND_COUNTERS_H

#include <stddef.h>

#include "base/err.h"
#include "record/launch_counters.h"

struct device;

struct counter_request {
    size_t name_count;
    const char *const *names;
    // Launches the kernel once and waits for it. Called for every pass over the counters, and before.
    int (*launch)(void *arg, struct err *err);
    // Gets every device function that a launch runs, in order. Texts and lists last during the call.
    int (*on_counted)(void *arg, const struct launch_counters *counted, struct err *err);
    // Gets what could not be counted and why, as a sentence.
    int (*on_note)(void *arg, const char *text, struct err *err);
    void *arg;
};

#endif
