// SPDX-License-Identifier: Apache-2.0
//
// Not broken: what the others are made from. If this one fails, the test is.
#include "broken.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    broken_right(b);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
