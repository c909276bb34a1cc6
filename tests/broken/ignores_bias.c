// SPDX-License-Identifier: Apache-2.0
//
// Says that it knows biases, and never adds one.
#define BROKEN_FEATURES "bias"
#include "broken.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    broken_right(b);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
