// SPDX-License-Identifier: Apache-2.0
//
// Style: two threads of one launch wait for each other by giving up the processor.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "honest.h"

struct share {
    struct honest *h;
    _Atomic int64_t done; // rows
};

static void *odd_rows(void *arg) {
    struct share *s = (struct share *)arg;
    for (int64_t i = 1; i < honest_rows(s->h); i += 2) {
        honest_row(s->h, i);
        atomic_fetch_add(&s->done, 1);
        sched_yield();
    }
    return NULL;
}

static int launch(struct honest *h) {
    struct share s = {.h = h};
    pthread_t thread;
    if (pthread_create(&thread, NULL, odd_rows, &s)) return honest_failed(h, "no thread");
    honest_rows_by(h, 0, 2);
    while (atomic_load(&s.done) < honest_rows(h) / 2) sched_yield();
    pthread_join(thread, NULL);
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
