// SPDX-License-Identifier: Apache-2.0
//
// Style: threads of its own that meet the caller at a barrier at the beginning and at the end of each
// launch.
#include <pthread.h>

#include "honest.h"

#define THREADS 3 // with the caller

struct pool {
    pthread_t threads[THREADS];
    pthread_barrier_t barrier;
    struct honest *h;
    int64_t joined; // threads that know their number
    int is_over;
};

static void *help(void *arg) {
    struct pool *p = (struct pool *)arg;
    const int64_t first = __atomic_add_fetch(&p->joined, 1, __ATOMIC_SEQ_CST);
    for (;;) {
        pthread_barrier_wait(&p->barrier);
        if (p->is_over) return NULL;
        honest_rows_by(p->h, first, THREADS);
        pthread_barrier_wait(&p->barrier);
    }
}

static int setup(struct honest *h, size_t *workspace_bytes) {
    (void)workspace_bytes;
    struct pool *p = (struct pool *)calloc(1, sizeof *p);
    if (!p) return honest_failed(h, "out of memory");
    p->h = h;
    h->own = p;
    pthread_barrier_init(&p->barrier, NULL, THREADS);
    for (int i = 1; i < THREADS; ++i)
        if (pthread_create(&p->threads[i], NULL, help, p)) return honest_failed(h, "no thread");
    return ASSAY_OK;
}

static int launch(struct honest *h) {
    struct pool *p = (struct pool *)h->own;
    pthread_barrier_wait(&p->barrier);
    honest_rows_by(h, 0, THREADS);
    pthread_barrier_wait(&p->barrier);
    return ASSAY_OK;
}

static void cleanup(struct honest *h) {
    struct pool *p = (struct pool *)h->own;
    p->is_over = 1;
    pthread_barrier_wait(&p->barrier);
    for (int i = 1; i < THREADS; ++i) pthread_join(p->threads[i], NULL);
    pthread_barrier_destroy(&p->barrier);
}

HONEST_KERNEL_WITH(launch, setup, cleanup)
