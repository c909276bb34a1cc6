// SPDX-License-Identifier: Apache-2.0
//
// Says that it knows masks, and never reads one.
#define BROKEN_FEATURES "mask"
#include "broken.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    broken_right(b);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
