// SPDX-License-Identifier: Apache-2.0
//
// Style: one thread of its own that is woken through a descriptor and answers through another.
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "honest.h"

struct pool {
    pthread_t thread;
    struct honest *h;
    int ask, answer; // descriptors
    int is_over;
};

static void take(int fd) {
    uint64_t value;
    while (read(fd, &value, sizeof value) != sizeof value) {
    }
}

static void give(int fd) {
    const uint64_t one = 1;
    while (write(fd, &one, sizeof one) != sizeof one) {
    }
}

static void *help(void *arg) {
    struct pool *p = (struct pool *)arg;
    for (;;) {
        take(p->ask);
        if (p->is_over) return NULL;
        honest_rows_by(p->h, 1, 2);
        give(p->answer);
    }
}

static int setup(struct honest *h, size_t *workspace_bytes) {
    (void)workspace_bytes;
    struct pool *p = (struct pool *)calloc(1, sizeof *p);
    if (!p) return honest_failed(h, "out of memory");
    p->h = h;
    h->own = p;
    p->ask = eventfd(0, EFD_CLOEXEC);
    p->answer = eventfd(0, EFD_CLOEXEC);
    if (p->ask < 0 || p->answer < 0) return honest_failed(h, "no event descriptor");
    if (pthread_create(&p->thread, NULL, help, p)) return honest_failed(h, "no thread");
    return ASSAY_OK;
}

static int launch(struct honest *h) {
    struct pool *p = (struct pool *)h->own;
    give(p->ask);
    honest_rows_by(h, 0, 2);
    take(p->answer);
    return ASSAY_OK;
}

static void cleanup(struct honest *h) {
    struct pool *p = (struct pool *)h->own;
    p->is_over = 1;
    give(p->ask);
    pthread_join(p->thread, NULL);
    close(p->ask);
    close(p->answer);
}

HONEST_KERNEL_WITH(launch, setup, cleanup)
