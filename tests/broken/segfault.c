// SPDX-License-Identifier: Apache-2.0
//
// Follows a null pointer.
#include "broken.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    volatile float *volatile nowhere = NULL;
    *nowhere = (float)b->launches;
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
