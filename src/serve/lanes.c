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

enum { LANE_THREADS_MAX = 4, YIELDING_NICE = 10 };

static const struct {
    int thread_count;
    bool is_yielding;
} kinds[LANE_COUNT] = {[LANE_LIGHT] = {.thread_count = LANE_THREADS_MAX},
                       [LANE_HEAVY] = {.thread_count = 2, .is_yielding = true},
                       [LANE_UPLOAD] = {.thread_count = 1, .is_yielding = true}};

struct one_lane {
    enum lane lane;
    pthread_mutex_t lock; // of the rest
    pthread_cond_t changed;
    struct lane_work *first, **end; // that wait
    bool is_stopped;
    pthread_t threads[LANE_THREADS_MAX];
    int thread_count;
};

struct lanes {
    struct one_lane all[LANE_COUNT];
};

static struct lane_work *take(struct one_lane *lane) {
    pthread_mutex_lock(&lane->lock);
    while (!lane->first && !lane->is_stopped) pthread_cond_wait(&lane->changed, &lane->lock);
    struct lane_work *work = lane->first;
    if (work) lane->first = work->next;
    if (!lane->first) lane->end = &lane->first;
    pthread_mutex_unlock(&lane->lock);
    return work;
}

static void *run_lane(void *arg) {
    struct one_lane *lane = arg;
    // Of this thread alone; a system that refuses it only loses the precedence.
    if (kinds[lane->lane].is_yielding) setpriority(PRIO_PROCESS, (id_t)gettid(), YIELDING_NICE);
    for (struct lane_work *work; (work = take(lane));) work->run(work);
    return NULL;
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
        while (is_started && lane->thread_count < kinds[i].thread_count)
            if (pthread_create(&lane->threads[lane->thread_count], NULL, run_lane, lane) == 0)
                ++lane->thread_count;
            else
                is_started = false;
    }
    if (is_started) return lanes;
    lanes_stop(lanes);
    return NULL;
}

// Those that wait; what runs may have looked already at what this one wants to see.
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
    for (int i = 0; i < lane->thread_count; ++i) pthread_join(lane->threads[i], NULL);
    pthread_cond_destroy(&lane->changed);
    pthread_mutex_destroy(&lane->lock);
}

void lanes_stop(struct lanes *lanes) {
    for (int i = 0; lanes && i < LANE_COUNT; ++i) stop(&lanes->all[i]);
    free(lanes);
}
