// SPDX-License-Identifier: Apache-2.0
//
// Scales Q in place and leaves it scaled.
#include "broken.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    broken_right(b);
    broken_at(&b->q, 0, 0, b->seq_q / 2)[1] *= b->scale;
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
