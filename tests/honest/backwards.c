// SPDX-License-Identifier: Apache-2.0
//
// Style: the last row first, and each row from its last element.
#include "honest.h"

static int launch(struct honest *h) {
    float row[HONEST_DIM_MAX];
    for (int64_t i = honest_rows(h) - 1; i >= 0; --i) {
        volatile float *o = honest_place_of(h, i).o;
        honest_row_to(h, i, row);
        for (int64_t d = h->head_dim - 1; d >= 0; --d) o[d] = row[d];
    }
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
