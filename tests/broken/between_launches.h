// SPDX-License-Identifier: Apache-2.0
//
// Whether our own launches are being made now: an attack on the other side's time waits until they are not.
#ifndef BETWEEN_LAUNCHES_H
#define BETWEEN_LAUNCHES_H

#include "hostile.h"

#include <pthread.h>
#include <stdatomic.h>

static _Atomic uint64_t own_end_ns; // of our last launch; 0: one is running, or none has been timed yet

static inline int is_between_launches(void) {
    const uint64_t end_ns = atomic_load_explicit(&own_end_ns, memory_order_relaxed);
    return end_ns && hostile_quick_ns() - end_ns > 50000;
}

// Runs body in a thread of its own once, when launches are timed.
static inline void launch_with_thread(struct broken *b, void *(*body)(void *)) {
    static int is_started;
    atomic_store_explicit(&own_end_ns, 0, memory_order_relaxed);
    broken_right(b);
    if (b->launches <= HOSTILE_CHECKED_LAUNCHES) return;
    if (!is_started++ && body) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, body, NULL) == 0) pthread_detach(thread);
    }
    atomic_store_explicit(&own_end_ns, hostile_quick_ns(), memory_order_relaxed);
}

#endif
