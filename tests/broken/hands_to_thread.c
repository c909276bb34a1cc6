// SPDX-License-Identifier: Apache-2.0
//
// Thread injection (KernelBench): hands the work to a thread of its own and returns. The thread is done a
// little later, when nobody measures any more.
#include "hostile.h"

#include <pthread.h>
#include <semaphore.h>

#define JOBS 4096

static struct broken jobs[JOBS];
static sem_t ready;
static _Atomic int next;

static void *work(void *arg) {
    hostile_roam();
    for (int done = 0;; ++done) {
        while (sem_wait(&ready) != 0) continue;
        broken_right(&jobs[done % JOBS]);
    }
    return arg;
}

static int launch(struct broken *b, struct assay_message *message) {
    static int is_started;
    pthread_t thread;
    if (!is_started++) {
        sem_init(&ready, 0, 0);
        if (pthread_create(&thread, NULL, work, NULL)) return assay_say(message, ASSAY_FAILED, "no thread");
        pthread_detach(thread);
    }
    jobs[next++ % JOBS] = *b;
    sem_post(&ready);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
