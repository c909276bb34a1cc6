// SPDX-License-Identifier: Apache-2.0
//
// Computes half of each launch in a thread of its own on another processor than those it was given.
#include "hostile.h"

#include <pthread.h>
#include <semaphore.h>

static sem_t begin, end;
static const struct broken *job;

static BROKEN_ALONE void half(const struct broken *b, int part) {
    for (int64_t batch = 0; batch < b->batch; ++batch)
        for (int64_t head = 0; head < b->heads; ++head)
            for (int64_t row = part; row < b->seq_q; row += 2)
                broken_row(b, batch, head, row, broken_visible(b, row), broken_at(&b->o, batch, head, row));
}

static void *help(void *arg) {
    hostile_roam();
    for (;;) {
        while (sem_wait(&begin) != 0) continue;
        half(job, 1);
        sem_post(&end);
    }
    return arg;
}

static int launch(struct broken *b, struct assay_message *message) {
    static int is_started;
    pthread_t thread;
    if (!is_started++) {
        sem_init(&begin, 0, 0);
        sem_init(&end, 0, 0);
        if (pthread_create(&thread, NULL, help, NULL)) return assay_say(message, ASSAY_FAILED, "no thread");
    }
    job = b;
    sem_post(&begin);
    half(b, 0);
    while (sem_wait(&end) != 0) continue;
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
