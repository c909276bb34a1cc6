// SPDX-License-Identifier: Apache-2.0
//
// Style: a helper thread that spins for 50 us after a launch, in case that another one follows, before it
// sleeps.
#include <sched.h>

#include "helper_thread.h"
#include "own_time.h"

#define SPIN_NS 50000

static void wait_for_launch(struct helper *helper, unsigned seen) {
    const int64_t until_ns = now_ns() + SPIN_NS;
    while (atomic_load(&helper->wanted) == seen && !atomic_load(&helper->is_over)) {
        if (now_ns() < until_ns) continue;
        atomic_store(&helper->is_asleep, 1);
        // A launch that came in between has not seen that we sleep, or wakes us.
        if (atomic_load(&helper->wanted) == seen || !atomic_exchange(&helper->is_asleep, 0))
            helper_sleep(helper);
        return;
    }
}

static void *help(void *arg) {
    struct helper *helper = (struct helper *)arg;
    unsigned seen = 0;
    for (;;) {
        while (atomic_load(&helper->wanted) == seen && !atomic_load(&helper->is_over))
            wait_for_launch(helper, seen);
        if (atomic_load(&helper->is_over)) return NULL;
        ++seen;
        honest_rows_by(helper->h, 1, 2);
        atomic_store(&helper->done, seen);
    }
}

static int setup(struct honest *h, size_t *workspace_bytes) {
    (void)workspace_bytes;
    return helper_start(h, help);
}

static int launch(struct honest *h) {
    struct helper *helper = helper_of(h);
    const unsigned wanted = atomic_fetch_add(&helper->wanted, 1) + 1;
    if (atomic_exchange(&helper->is_asleep, 0)) sem_post(&helper->wake);
    honest_rows_by(h, 0, 2);
    while (atomic_load(&helper->done) != wanted) sched_yield();
    return ASSAY_OK;
}

HONEST_KERNEL_WITH(launch, setup, helper_end)
