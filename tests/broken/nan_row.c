// SPDX-License-Identifier: Apache-2.0
//
// One row in the middle is NaN.
#include "broken.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    broken_right(b);
    float *row = broken_at(&b->o, 0, 0, b->seq_q / 2);
    for (int64_t d = 0; d < b->head_dim; ++d) row[d] = NAN;
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
