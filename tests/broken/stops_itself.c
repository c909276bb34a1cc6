// SPDX-License-Identifier: Apache-2.0
//
// Stops its own process while it is timed.
#include "hostile.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    if (b->launches == HOSTILE_CHECKED_LAUNCHES) kill(getpid(), SIGSTOP);
    broken_right(b);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
