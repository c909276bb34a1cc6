// SPDX-License-Identifier: Apache-2.0
//
// Style: threads that read a shared table under a read lock, which the caller rewrites in each launch.
#include <pthread.h>

#include "exp_table.h"
#include "honest.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static double table[EXP_TABLE_COUNT];

static double look_up(double x) {
    return exp_table_get(table, x);
}

static void *odd_rows(void *arg) {
    struct honest *h = (struct honest *)arg;
    for (int64_t i = 1; i < honest_rows(h); i += 2) {
        pthread_rwlock_rdlock(&lock);
        honest_row_with(h, i, look_up, honest_place_of(h, i).o);
        pthread_rwlock_unlock(&lock);
    }
    return NULL;
}

static int launch(struct honest *h) {
    pthread_t thread;
    pthread_rwlock_wrlock(&lock);
    exp_table_fill(table);
    const int refused = pthread_create(&thread, NULL, odd_rows, h);
    pthread_rwlock_unlock(&lock);
    if (refused) return honest_failed(h, "no thread");
    for (int64_t i = 0; i < honest_rows(h); i += 2) {
        pthread_rwlock_rdlock(&lock);
        honest_row_with(h, i, look_up, honest_place_of(h, i).o);
        pthread_rwlock_unlock(&lock);
    }
    pthread_join(thread, NULL);
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
