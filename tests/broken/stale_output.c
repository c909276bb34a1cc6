// SPDX-License-Identifier: Apache-2.0
//
// Computes once and returns that result forever.
#include "broken.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    const size_t row_bytes = (size_t)b->head_dim * sizeof(float);
    char *kept = b->own;
    if (!kept) {
        broken_right(b);
        kept = b->own = malloc((size_t)(b->batch * b->heads * b->seq_q) * row_bytes);
    }
    for (int64_t i = 0; i < b->batch * b->heads * b->seq_q; ++i) {
        float *row = broken_at(&b->o, i / b->seq_q / b->heads, i / b->seq_q % b->heads, i % b->seq_q);
        if (b->launches == 1)
            memcpy(kept + (size_t)i * row_bytes, row, row_bytes);
        else
            memcpy(row, kept + (size_t)i * row_bytes, row_bytes);
    }
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
