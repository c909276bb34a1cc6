// SPDX-License-Identifier: Apache-2.0
//
// Wrong on purpose: its output is right and complete when launch returns, but a thread keeps burning a
// processor during the other side's measurements.
#include <pthread.h>
#include <time.h>

#include "broken.h"

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void *burn(void *arg) {
    const double until_s = now_s() + 0.1;
    while (now_s() < until_s) continue;
    return arg;
}

static int launch(struct broken *b, struct assay_message *message) {
    pthread_t thread;
    broken_right(b);
    if (pthread_create(&thread, NULL, burn, NULL)) return assay_say(message, ASSAY_FAILED, "no thread");
    pthread_detach(thread);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
