// SPDX-License-Identifier: Apache-2.0
//
// Style: a timer that is made in prepare, never set, and deleted in release.
#include <signal.h>
#include <time.h>

#include "honest.h"

static int setup(struct honest *h, size_t *workspace_bytes) {
    (void)workspace_bytes;
    struct sigevent event = {.sigev_notify = SIGEV_NONE};
    timer_t *timer = (timer_t *)malloc(sizeof *timer);
    h->own = timer;
    if (!timer || timer_create(CLOCK_MONOTONIC, &event, timer)) return honest_failed(h, "no timer");
    return ASSAY_OK;
}

static void cleanup(struct honest *h) {
    timer_delete(*(timer_t *)h->own);
}

HONEST_KERNEL_WITH(honest_launch_all, setup, cleanup)
