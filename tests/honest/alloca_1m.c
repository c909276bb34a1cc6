// SPDX-License-Identifier: Apache-2.0
//
// Style: one megabyte of stack.
#include <alloca.h>

#include "honest.h"

#define BYTES ((size_t)1 << 20)

static int launch(struct honest *h) {
    char *memory = (char *)alloca(BYTES);
    for (int64_t i = 0; i < honest_rows(h); ++i) {
        float *row = (float *)(void *)(memory + (size_t)i * 4096 % BYTES);
        honest_row_to(h, i, row);
        memcpy(honest_place_of(h, i).o, row, (size_t)h->head_dim * sizeof *row);
    }
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
