// SPDX-License-Identifier: Apache-2.0
//
// Style: the first launches try two orders of the work in turn and take their times; all later ones use
// the faster one. Both give the same bits.
#include <time.h>

#include "honest.h"

#define TRIALS 6

struct trial {
    double seconds[2];
};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int setup(struct honest *h, size_t *workspace_bytes) {
    (void)workspace_bytes;
    h->own = calloc(1, sizeof(struct trial));
    return h->own ? ASSAY_OK : honest_failed(h, "out of memory");
}

static void rows(struct honest *h, int order) {
    const int64_t step = order ? 8 : 1;
    for (int64_t first = 0; first < step; ++first) honest_rows_by(h, first, step);
}

static int launch(struct honest *h) {
    struct trial *t = (struct trial *)h->own;
    if (h->launches > TRIALS) {
        rows(h, t->seconds[1] < t->seconds[0]);
        return ASSAY_OK;
    }
    const double began = now();
    rows(h, (int)(h->launches % 2));
    t->seconds[h->launches % 2] += now() - began;
    return ASSAY_OK;
}

HONEST_KERNEL_WITH(launch, setup, honest_no_cleanup)
