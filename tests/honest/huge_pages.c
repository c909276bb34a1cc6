// SPDX-License-Identifier: Apache-2.0
//
// Style: memory of its own, for which it wishes huge pages.
#include <sys/mman.h>

#include "honest.h"

#define HUGE_BYTES ((size_t)2 << 20)

static int setup(struct honest *h, size_t *workspace_bytes) {
    (void)workspace_bytes;
    h->own = aligned_alloc(HUGE_BYTES, 2 * HUGE_BYTES);
    if (!h->own) return honest_failed(h, "out of memory");
    (void)madvise(h->own, 2 * HUGE_BYTES, MADV_HUGEPAGE); // a wish
    return ASSAY_OK;
}

static int launch(struct honest *h) {
    const size_t bytes = (size_t)h->head_dim * sizeof(float);
    for (int64_t i = 0; i < honest_rows(h); ++i) {
        float *row = (float *)(void *)((char *)h->own + (size_t)i * 8192 % (2 * HUGE_BYTES));
        honest_row_to(h, i, row);
        memcpy(honest_place_of(h, i).o, row, bytes);
    }
    return ASSAY_OK;
}

HONEST_KERNEL_WITH(launch, setup, honest_no_cleanup)
