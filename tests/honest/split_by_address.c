// SPDX-License-Identifier: Apache-2.0
//
// Style: keys in parts that begin at multiples of a page, so that the order of its sums, and with it the last
// bits, follow from where the keys lie. At the same addresses the bits are the same.
#include "split_keys.h"

#define PAGE 4096

static int launch(struct honest *h) {
    const int64_t key_bytes = h->k.stride[2] * (int64_t)sizeof(float);
    const int64_t step = key_bytes < PAGE ? PAGE / key_bytes : 1;
    for (int64_t i = 0; i < honest_rows(h); ++i) {
        const struct honest_place p = honest_place_of(h, i);
        const int64_t in_page = (int64_t)((uintptr_t)honest_key(h, &p, 0) % PAGE);
        const int64_t first = (PAGE - in_page) / key_bytes;
        split_row(h, i, first > 0 ? first : step, step);
    }
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
