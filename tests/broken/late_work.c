// SPDX-License-Identifier: Apache-2.0
//
// Returns before the last row is written: a thread of its own writes it a little later.
#include <pthread.h>
#include <time.h>

#include "broken.h"

static float late_row[BROKEN_DIM_MAX];
static float *late_out;
static size_t late_bytes;

static void *write_late(void *arg) {
    const struct timespec pause = {0, 4000000};
    nanosleep(&pause, NULL);
    memcpy(late_out, late_row, late_bytes);
    return arg;
}

static int launch(struct broken *b, struct assay_message *message) {
    pthread_t thread;
    broken_right(b);
    late_out = broken_last_row(b);
    late_bytes = (size_t)b->head_dim * sizeof(float);
    memcpy(late_row, late_out, late_bytes);
    memset(late_out, 0, late_bytes);
    if (pthread_create(&thread, NULL, write_late, NULL)) return assay_say(message, ASSAY_FAILED, "no thread");
    pthread_detach(thread);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
