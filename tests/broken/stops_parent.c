// SPDX-License-Identifier: Apache-2.0
//
// Stops the process that watches over it.
#include "hostile.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    if (b->launches == HOSTILE_CHECKED_LAUNCHES && hostile_parent()) kill(hostile_parent(), SIGSTOP);
    broken_right(b);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
