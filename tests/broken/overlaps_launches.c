// SPDX-License-Identifier: Apache-2.0
//
// Launches that return before they are done: from the first launch of a sample on a thread computes the
// others, the last one first, on a processor that the kernel was not given. A launch that the thread has
// begun returns at once; only the last one of the sample waits. A caller that needs each result would have it
// no sooner.
#include "set_order.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>

static sem_t begin;
static struct broken jobs[SETS];
static atomic_int claims[SETS], is_helping;
static int job_count, launching_cpu;

// Anywhere but where launches run.
static void move_away(int from) {
    cpu_set_t all;
    memset(&all, 0xff, sizeof all);
    CPU_CLR((size_t)from, &all);
    sched_setaffinity(0, sizeof all, &all);
}

static int claim(int i) {
    return atomic_exchange(&claims[i], 1) == 0;
}

static void *help(void *arg) {
    for (;;) {
        while (sem_wait(&begin) != 0) continue;
        move_away(launching_cpu);
        for (int i = job_count - 1; i > 0 && claim(i); --i) broken_right(&jobs[i]);
        atomic_store(&is_helping, 0);
    }
    return arg;
}

static void begin_sample(struct set_order *order, struct set *set) {
    static int is_started;
    struct set *sets[SETS];
    pthread_t thread;
    job_count = 0;
    if (!order->launches || !sets_of_sample(order, set, sets)) return;
    if (!is_started++) {
        sem_init(&begin, 0, 0);
        if (pthread_create(&thread, NULL, help, NULL)) is_started = -SETS;
    }
    if (is_started < 0) return;
    for (int i = 0; i < order->launches; ++i) {
        jobs[i] = sets[i]->job;
        atomic_store(&claims[i], 0);
    }
    job_count = order->launches;
    launching_cpu = sched_getcpu();
    atomic_store(&is_helping, 1);
    sem_post(&begin);
}

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    int is_first = 0;
    if (b->own) ((struct set_order *)b->own)->is_over = 0; // there is nothing to lose after the samples
    struct set *set = order_before(b, &is_first);
    struct set_order *order = b->own;
    if (!set) return ASSAY_OK;
    if (is_first) begin_sample(order, set);
    const int is_sample = order->count < job_count;
    if (!is_sample || claim(order->count)) broken_right(b);
    const int is_last = order->count == job_count - 1;
    while (is_last && atomic_load(&is_helping)) continue;
    // What the thread has left is copied when all is done.
    for (int i = 0; i < job_count && is_last; ++i) {
        struct set *done = set_of(order, &jobs[i]);
        if (done && done->left) memcpy(done->left, jobs[i].o.data, out_bytes(b));
    }
    order_after(b, set, !is_sample);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
