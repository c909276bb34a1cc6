// SPDX-License-Identifier: Apache-2.0
//
// Style: a workspace of one byte, which counts rows modulo 128.
#include "honest.h"

static int setup(struct honest *h, size_t *workspace_bytes) {
    (void)h;
    *workspace_bytes = 1;
    return ASSAY_OK;
}

static int launch(struct honest *h) {
    volatile unsigned char *count = (volatile unsigned char *)h->workspace;
    *count = 0;
    for (int64_t i = 0; i < honest_rows(h); ++i) {
        if (*count != i % 128) return honest_failed(h, "the workspace changed during a launch");
        honest_row(h, i);
        *count = (unsigned char)((*count + 1) % 128);
    }
    return ASSAY_OK;
}

HONEST_KERNEL_WITH(launch, setup, honest_no_cleanup)
