// SPDX-License-Identifier: Apache-2.0
//
// Style: a thread that wakes up every few milliseconds, during launches and between them, and looks whether
// one of them takes too long.
#include <time.h>

#include "helper_thread.h"

#define PERIOD_NS   3000000
#define LIMIT_TICKS 1000 // of one launch

static void *watch(void *arg) {
    struct helper *helper = (struct helper *)arg;
    const struct timespec period = {0, PERIOD_NS};
    unsigned ticks = 0, last = 0;
    while (!atomic_load(&helper->is_over)) {
        nanosleep(&period, NULL);
        const unsigned begun = atomic_load(&helper->wanted), ended = atomic_load(&helper->done);
        ticks = begun != ended && begun == last ? ticks + 1 : 0;
        last = begun;
        if (ticks > LIMIT_TICKS) abort();
    }
    return NULL;
}

static int setup(struct honest *h, size_t *workspace_bytes) {
    (void)workspace_bytes;
    return helper_start(h, watch);
}

static int launch(struct honest *h) {
    struct helper *helper = helper_of(h);
    atomic_fetch_add(&helper->wanted, 1);
    honest_all(h);
    atomic_fetch_add(&helper->done, 1);
    return ASSAY_OK;
}

HONEST_KERNEL_WITH(launch, setup, helper_end)
