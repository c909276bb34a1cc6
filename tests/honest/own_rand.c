// SPDX-License-Identifier: Apache-2.0
//
// Style: pseudo-random numbers decide in which order rows are taken, from a state of its own.
#include "honest.h"

static int launch(struct honest *h) {
    const int64_t rows = honest_rows(h);
    unsigned seed = (unsigned)h->launches;
    int64_t *order = (int64_t *)malloc((size_t)rows * sizeof *order);
    if (!order) return honest_failed(h, "out of memory");
    for (int64_t i = 0; i < rows; ++i) order[i] = i;
    for (int64_t i = rows - 1; i > 0; --i) {
        const int64_t other = rand_r(&seed) % (i + 1), kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
    for (int64_t i = 0; i < rows; ++i) honest_row(h, order[i]);
    free(order);
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
