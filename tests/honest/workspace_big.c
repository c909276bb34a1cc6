// SPDX-License-Identifier: Apache-2.0
//
// Style: a workspace of 24 MB, used from both ends.
#include "honest.h"

#define BYTES ((size_t)24 << 20)

static int setup(struct honest *h, size_t *workspace_bytes) {
    (void)h;
    *workspace_bytes = BYTES;
    return ASSAY_OK;
}

static int launch(struct honest *h) {
    char *low = (char *)h->workspace, *high = low + BYTES;
    const size_t bytes = (size_t)h->head_dim * sizeof(float);
    for (int64_t i = 0; i < honest_rows(h); ++i) {
        const size_t offset = (size_t)(i % 4096 + 1) * 1024;
        float *row = (float *)(void *)(i % 2 ? low + offset : high - offset);
        honest_row_to(h, i, row);
        memcpy(honest_place_of(h, i).o, row, bytes);
    }
    return ASSAY_OK;
}

HONEST_KERNEL_WITH(launch, setup, honest_no_cleanup)
