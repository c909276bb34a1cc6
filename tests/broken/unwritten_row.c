// SPDX-License-Identifier: Apache-2.0
//
// Never writes the last row.
#include "broken.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    for (int64_t batch = 0; batch < b->batch; ++batch)
        for (int64_t head = 0; head < b->heads; ++head)
            for (int64_t row = 0; row + 1 < b->seq_q; ++row)
                broken_row(b, batch, head, row, broken_visible(b, row), broken_at(&b->o, batch, head, row));
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
