// SPDX-License-Identifier: Apache-2.0
//
// Style: one thread of its own that sleeps on a futex between launches.
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "honest.h"

struct pool {
    pthread_t thread;
    struct honest *h;
    _Atomic uint32_t asked, done; // launches
    _Atomic int is_over;
};

static void wait_while(_Atomic uint32_t *word, uint32_t value) {
    while (atomic_load(word) == value) syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void tell(_Atomic uint32_t *word) {
    atomic_fetch_add(word, 1);
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *help(void *arg) {
    struct pool *p = (struct pool *)arg;
    for (uint32_t turn = 0;; ++turn) {
        wait_while(&p->asked, turn);
        if (atomic_load(&p->is_over)) return NULL;
        honest_rows_by(p->h, 1, 2);
        tell(&p->done);
    }
}

static int setup(struct honest *h, size_t *workspace_bytes) {
    (void)workspace_bytes;
    struct pool *p = (struct pool *)calloc(1, sizeof *p);
    if (!p) return honest_failed(h, "out of memory");
    p->h = h;
    h->own = p;
    if (pthread_create(&p->thread, NULL, help, p)) return honest_failed(h, "no thread");
    return ASSAY_OK;
}

static int launch(struct honest *h) {
    struct pool *p = (struct pool *)h->own;
    const uint32_t before = atomic_load(&p->done);
    tell(&p->asked);
    honest_rows_by(h, 0, 2);
    wait_while(&p->done, before);
    return ASSAY_OK;
}

static void cleanup(struct honest *h) {
    struct pool *p = (struct pool *)h->own;
    atomic_store(&p->is_over, 1);
    tell(&p->asked);
    pthread_join(p->thread, NULL);
}

HONEST_KERNEL_WITH(launch, setup, cleanup)
