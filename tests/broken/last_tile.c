// SPDX-License-Identifier: Apache-2.0
//
// Works in tiles of 32 keys and forgets the last, partly filled one.
#include "broken.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    const int64_t keys = b->seq_k >= 32 ? b->seq_k / 32 * 32 : b->seq_k;
    for (int64_t batch = 0; batch < b->batch; ++batch)
        for (int64_t head = 0; head < b->heads; ++head)
            for (int64_t row = 0; row < b->seq_q; ++row)
                broken_row(b, batch, head, row, keys, broken_at(&b->o, batch, head, row));
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
