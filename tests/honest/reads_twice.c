// SPDX-License-Identifier: Apache-2.0
//
// Style: computes every row twice and compares, against faults of the machine.
#include "honest.h"

static int launch(struct honest *h) {
    float one[HONEST_DIM_MAX], other[HONEST_DIM_MAX];
    const size_t bytes = (size_t)h->head_dim * sizeof one[0];
    for (int64_t i = 0; i < honest_rows(h); ++i) {
        honest_row_to(h, i, one);
        __asm__ volatile("" : : : "memory"); // the inputs are read again
        honest_row_to(h, i, other);
        if (memcmp(one, other, bytes) != 0) return honest_failed(h, "two computations differ");
        memcpy(honest_place_of(h, i).o, one, bytes);
    }
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
