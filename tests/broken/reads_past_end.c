// SPDX-License-Identifier: Apache-2.0
//
// Reads the row after the last key.
#include "broken.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    broken_right(b);
    const volatile float *behind = broken_at(&b->k, b->batch - 1, b->heads_kv - 1, b->seq_k);
    broken_last_row(b)[0] += behind[b->head_dim - 1] * 0.0f;
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
