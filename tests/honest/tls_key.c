// SPDX-License-Identifier: Apache-2.0
//
// Style: a key with a destructor holds a buffer of each thread; the caller's is freed in release.
#include <pthread.h>

#include "honest.h"

static pthread_key_t key;
static int has_key;

static float *buffer(void) {
    float *row = (float *)pthread_getspecific(key);
    if (!row) {
        row = (float *)malloc(HONEST_DIM_MAX * sizeof *row);
        pthread_setspecific(key, row);
    }
    return row;
}

static int setup(struct honest *h, size_t *workspace_bytes) {
    (void)workspace_bytes;
    if (!has_key && pthread_key_create(&key, free)) return honest_failed(h, "no key");
    has_key = 1;
    return ASSAY_OK;
}

static void rows(struct honest *h, int64_t first) {
    float *row = buffer();
    for (int64_t i = first; i < honest_rows(h); i += 2) {
        honest_row_to(h, i, row);
        memcpy(honest_place_of(h, i).o, row, (size_t)h->head_dim * sizeof *row);
    }
}

static void *odd_rows(void *arg) {
    rows((struct honest *)arg, 1);
    return NULL;
}

static int launch(struct honest *h) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, odd_rows, h)) return honest_failed(h, "no thread");
    rows(h, 0);
    pthread_join(thread, NULL);
    return ASSAY_OK;
}

static void cleanup(struct honest *h) {
    (void)h;
    free(pthread_getspecific(key));
    pthread_setspecific(key, NULL);
}

HONEST_KERNEL_WITH(launch, setup, cleanup)
