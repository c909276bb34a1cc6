// SPDX-License-Identifier: Apache-2.0
//
// Style: a helper thread that sleeps between launches and spins inside of them: both meet after every row.
#include <sched.h>

#include "helper_thread.h"

static void *help(void *arg) {
    struct helper *helper = (struct helper *)arg;
    for (;;) {
        helper_sleep(helper);
        if (atomic_load(&helper->is_over)) return NULL;
        const int rows = (int)honest_rows(helper->h);
        for (int row = 1; row < rows; row += 2) {
            while (atomic_load(&helper->row) < row) sched_yield();
            honest_row(helper->h, row);
        }
        atomic_fetch_add(&helper->done, 1);
    }
}

static int setup(struct honest *h, size_t *workspace_bytes) {
    (void)workspace_bytes;
    return helper_start(h, help);
}

static int launch(struct honest *h) {
    struct helper *helper = helper_of(h);
    const unsigned wanted = atomic_fetch_add(&helper->wanted, 1) + 1;
    const int rows = (int)honest_rows(h);
    atomic_store(&helper->row, 0);
    sem_post(&helper->wake);
    for (int row = 0; row < rows; row += 2) {
        atomic_store(&helper->row, row + 1);
        honest_row(h, row);
    }
    while (atomic_load(&helper->done) != wanted) sched_yield();
    return ASSAY_OK;
}

HONEST_KERNEL_WITH(launch, setup, helper_end)
