// SPDX-License-Identifier: Apache-2.0
//
// See lanes.h.
#include "serve/lanes.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"

enum { LANE_THREADS_MAX = 4, YIELDING_NICE = 10 }; // more than those of the server itself

static const struct {
    int thread_count;
    bool is_yielding;
} kinds[LANE_COUNT] = {[LANE_LIGHT] = {.thread_count = LANE_THREADS_MAX},
                       [LANE_HEAVY] = {.thread_count = 2, .is_yielding = true},
                       [LANE_UPLOAD] = {.thread_count = 1, .is_yielding = true}};

struct one_lane;
struct lane_thread {
    struct one_lane *lane;
    pthread_t thread;
    char *key; // of what it runs; NULL: none
};

struct one_lane {
    enum lane lane;
    pthread_mutex_t lock; // of the rest
    pthread_cond_t changed;
    struct lane_work *first, **end; // that wait
    bool is_stopped;
    struct lane_thread threads[LANE_THREADS_MAX];
    int thread_count;
};

struct lanes {
    struct one_lane all[LANE_COUNT];
};

static bool is_running(const struct one_lane *lane, const char *key) {
    for (int i = 0; key && i < lane->thread_count; ++i)
        if (lane->threads[i].key && str_equal(lane->threads[i].key, key)) return true;
    return false;
}

// The first whose key nobody runs: all that ask the same while it runs are the next one together.
static struct lane_work *take_first(struct one_lane *lane) {
    struct lane_work **at = &lane->first;
    while (*at && is_running(lane, (*at)->key)) at = &(*at)->next;
    struct lane_work *work = *at;
    if (!work) return NULL;
    *at = work->next;
    if (!*at) lane->end = at;
    return work;
}

// NULL: it is over.
static struct lane_work *take(struct lane_thread *thread) {
    struct one_lane *lane = thread->lane;
    struct lane_work *work;
    pthread_mutex_lock(&lane->lock);
    while (!(work = take_first(lane)) && !(lane->is_stopped && !lane->first))
        pthread_cond_wait(&lane->changed, &lane->lock);
    if (work && work->key) thread->key = mem_strdup(work->key);
    pthread_mutex_unlock(&lane->lock);
    return work;
}

static void forget(struct lane_thread *thread) {
    struct one_lane *lane = thread->lane;
    pthread_mutex_lock(&lane->lock);
    free(thread->key);
    thread->key = NULL;
    pthread_cond_broadcast(&lane->changed);
    pthread_mutex_unlock(&lane->lock);
}

static void *run_lane(void *arg) {
    struct lane_thread *thread = arg;
    const id_t id = (id_t)gettid();
    // Of this thread alone; a system that refuses it only loses the precedence.
    if (kinds[thread->lane->lane].is_yielding)
        setpriority(PRIO_PROCESS, id, getpriority(PRIO_PROCESS, id) + YIELDING_NICE);
    for (struct lane_work *work; (work = take(thread));) {
        work->run(work);
        forget(thread);
    }
    return NULL;
}

static bool start_thread(struct one_lane *lane) {
    struct lane_thread *thread = &lane->threads[lane->thread_count];
    thread->lane = lane;
    pthread_mutex_lock(&lane->lock); // the thread looks at the count
    const bool is_started = pthread_create(&thread->thread, NULL, run_lane, thread) == 0;
    if (is_started) ++lane->thread_count;
    pthread_mutex_unlock(&lane->lock);
    return is_started;
}

struct lanes *lanes_start(void) {
    struct lanes *lanes = mem_alloc(sizeof *lanes);
    bool is_started = true;
    for (int i = 0; i < LANE_COUNT; ++i) {
        struct one_lane *lane = &lanes->all[i];
        lane->lane = (enum lane)i;
        lane->end = &lane->first;
        pthread_mutex_init(&lane->lock, NULL);
        pthread_cond_init(&lane->changed, NULL);
        while (is_started && lane->thread_count < kinds[i].thread_count) is_started = start_thread(lane);
    }
    if (is_started) return lanes;
    lanes_stop(lanes);
    return NULL;
}

// Of those that wait: what runs may have looked already at what this one wants to see.
static struct lane_work *find_same(const struct one_lane *lane, const char *key) {
    struct lane_work *one = key ? lane->first : NULL;
    while (one && !str_equal(one->key, key)) one = one->next;
    return one;
}

void lanes_add(struct lanes *lanes, struct lane_work *work) {
    struct one_lane *lane = &lanes->all[work->lane];
    work->next = work->same = NULL;
    pthread_mutex_lock(&lane->lock);
    struct lane_work *waiting = find_same(lane, work->key);
    if (waiting) {
        work->same = waiting->same;
        waiting->same = work;
    } else {
        *lane->end = work;
        lane->end = &work->next;
        pthread_cond_signal(&lane->changed);
    }
    pthread_mutex_unlock(&lane->lock);
}

static void stop(struct one_lane *lane) {
    pthread_mutex_lock(&lane->lock);
    lane->is_stopped = true;
    pthread_cond_broadcast(&lane->changed);
    pthread_mutex_unlock(&lane->lock);
    for (int i = 0; i < lane->thread_count; ++i) pthread_join(lane->threads[i].thread, NULL);
    pthread_cond_destroy(&lane->changed);
    pthread_mutex_destroy(&lane->lock);
}

void lanes_stop(struct lanes *lanes) {
    for (int i = 0; lanes && i < LANE_COUNT; ++i) stop(&lanes->all[i]);
    free(lanes);
}
