// SPDX-License-Identifier: Apache-2.0
//
// Never returns.
#include "broken.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    volatile int *launches = &b->launches;
    while (*launches >= 0) continue;
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
