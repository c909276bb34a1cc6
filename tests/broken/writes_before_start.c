// SPDX-License-Identifier: Apache-2.0
//
// Writes one element before the output.
#include "broken.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    broken_right(b);
    volatile float *before = (float *)b->o.data - 1;
    *before = 1;
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
