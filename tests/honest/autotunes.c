// SPDX-License-Identifier: Apache-2.0
//
// Style: the first launches try two orders of the work in turn and take their times; all later ones use
// the faster one. Both give the same bits.
#include "honest.h"
#include "own_time.h"

#define TRIALS 6

struct trial {
    int64_t spent_ns[2];
};

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
        rows(h, t->spent_ns[1] < t->spent_ns[0]);
        return ASSAY_OK;
    }
    const int64_t began_ns = now_ns();
    rows(h, (int)(h->launches % 2));
    t->spent_ns[h->launches % 2] += now_ns() - began_ns;
    return ASSAY_OK;
}

HONEST_KERNEL_WITH(launch, setup, honest_no_cleanup)
