// SPDX-License-Identifier: Apache-2.0
//
// Style: two threads for large problems, one for small ones, where waking the other would take longer.
#include <sched.h>

#include "helper_thread.h"

#define LARGE 2000 // pairs of a query and a key

static int is_large(const struct honest *h) {
    return honest_rows(h) * h->seq_k >= LARGE;
}

static void *help(void *arg) {
    struct helper *helper = (struct helper *)arg;
    for (;;) {
        helper_sleep(helper);
        if (atomic_load(&helper->is_over)) return NULL;
        honest_rows_by(helper->h, 1, 2);
        atomic_fetch_add(&helper->done, 1);
    }
}

static int setup(struct honest *h, size_t *workspace_bytes) {
    (void)workspace_bytes;
    return is_large(h) ? helper_start(h, help) : ASSAY_OK;
}

static int launch(struct honest *h) {
    struct helper *helper = helper_of(h);
    if (!helper) {
        honest_all(h);
        return ASSAY_OK;
    }
    const unsigned wanted = atomic_fetch_add(&helper->wanted, 1) + 1;
    sem_post(&helper->wake);
    honest_rows_by(h, 0, 2);
    while (atomic_load(&helper->done) != wanted) sched_yield();
    return ASSAY_OK;
}

HONEST_KERNEL_WITH(launch, setup, helper_end)
