// SPDX-License-Identifier: Apache-2.0
//
// Writes zeros.
#include "broken.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    b->seq_k = 0;
    b->causal = 0;
    broken_right(b);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
