// SPDX-License-Identifier: Apache-2.0
//
// One thread of a kernel's own, from prepare to release, that computes every second row of a launch. How it
// waits for the next launch is the caller's.
#ifndef HONEST_HELPER_THREAD_H
#define HONEST_HELPER_THREAD_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "honest.h"

struct helper {
    pthread_t thread;
    sem_t wake;
    const struct honest *h;
    atomic_uint wanted, done; // launches
    atomic_int row;           // of a launch that is divided finely
    atomic_int is_asleep, is_over;
    int is_started;
};

static inline struct helper *helper_of(struct honest *h) {
    return (struct helper *)h->own;
}

static inline int helper_start(struct honest *h, void *(*body)(void *)) {
    struct helper *helper = (struct helper *)calloc(1, sizeof *helper);
    if (!helper) return honest_failed(h, "out of memory");
    h->own = helper;
    helper->h = h;
    sem_init(&helper->wake, 0, 0);
    if (pthread_create(&helper->thread, NULL, body, helper)) return honest_failed(h, "no thread");
    helper->is_started = 1;
    return ASSAY_OK;
}

static inline void helper_end(struct honest *h) {
    struct helper *helper = helper_of(h);
    if (!helper || !helper->is_started) return;
    atomic_store(&helper->is_over, 1);
    sem_post(&helper->wake);
    pthread_join(helper->thread, NULL);
    sem_destroy(&helper->wake);
}

static inline void helper_sleep(struct helper *helper) {
    while (sem_wait(&helper->wake) != 0) continue;
}

#endif
