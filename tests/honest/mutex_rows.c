// SPDX-License-Identifier: Apache-2.0
//
// Style: a second thread for each launch; both take rows under a mutex.
#include <pthread.h>

#include "honest.h"

struct share {
    struct honest *h;
    pthread_mutex_t mutex;
    int64_t next;
};

static void *rows(void *arg) {
    struct share *s = (struct share *)arg;
    for (;;) {
        pthread_mutex_lock(&s->mutex);
        const int64_t row = s->next++;
        pthread_mutex_unlock(&s->mutex);
        if (row >= honest_rows(s->h)) return NULL;
        honest_row(s->h, row);
    }
}

static int launch(struct honest *h) {
    struct share s = {.h = h, .mutex = PTHREAD_MUTEX_INITIALIZER};
    pthread_t thread;
    if (pthread_create(&thread, NULL, rows, &s)) return honest_failed(h, "no thread");
    rows(&s);
    pthread_join(thread, NULL);
    pthread_mutex_destroy(&s.mutex);
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
