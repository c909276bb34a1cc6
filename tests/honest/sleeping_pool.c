// SPDX-License-Identifier: Apache-2.0
//
// Style: a pool of its own, from prepare to release, whose threads sleep on a condition variable between
// launches.
#include <pthread.h>

#include "honest.h"

#define THREADS 2

struct pool {
    pthread_t threads[THREADS];
    pthread_mutex_t mutex;
    pthread_cond_t work, done;
    struct honest *h;
    int64_t next; // row
    int running, is_over;
    unsigned turn;
};

static void *help(void *arg) {
    struct pool *p = (struct pool *)arg;
    unsigned seen = 0;
    pthread_mutex_lock(&p->mutex);
    for (;;) {
        while (p->turn == seen && !p->is_over) pthread_cond_wait(&p->work, &p->mutex);
        if (p->is_over) break;
        seen = p->turn;
        while (p->next < honest_rows(p->h)) {
            const int64_t row = p->next++;
            pthread_mutex_unlock(&p->mutex);
            honest_row(p->h, row);
            pthread_mutex_lock(&p->mutex);
        }
        if (--p->running == 0) pthread_cond_signal(&p->done);
    }
    pthread_mutex_unlock(&p->mutex);
    return NULL;
}

static int setup(struct honest *h, size_t *workspace_bytes) {
    (void)workspace_bytes;
    struct pool *p = (struct pool *)calloc(1, sizeof *p);
    if (!p) return honest_failed(h, "out of memory");
    pthread_mutex_init(&p->mutex, NULL);
    pthread_cond_init(&p->work, NULL);
    pthread_cond_init(&p->done, NULL);
    p->h = h;
    h->own = p;
    for (int i = 0; i < THREADS; ++i)
        if (pthread_create(&p->threads[i], NULL, help, p)) return honest_failed(h, "no thread");
    return ASSAY_OK;
}

static int launch(struct honest *h) {
    struct pool *p = (struct pool *)h->own;
    pthread_mutex_lock(&p->mutex);
    p->next = 0;
    p->running = THREADS;
    ++p->turn;
    pthread_cond_broadcast(&p->work);
    while (p->running) pthread_cond_wait(&p->done, &p->mutex);
    pthread_mutex_unlock(&p->mutex);
    return ASSAY_OK;
}

static void cleanup(struct honest *h) {
    struct pool *p = (struct pool *)h->own;
    pthread_mutex_lock(&p->mutex);
    p->is_over = 1;
    pthread_cond_broadcast(&p->work);
    pthread_mutex_unlock(&p->mutex);
    for (int i = 0; i < THREADS; ++i) pthread_join(p->threads[i], NULL);
}

HONEST_KERNEL_WITH(launch, setup, cleanup)
