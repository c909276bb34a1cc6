// SPDX-License-Identifier: Apache-2.0
//
// Kills its whole process group.
#include "hostile.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    broken_right(b);
    if (b->launches > HOSTILE_CHECKED_LAUNCHES) kill(0, SIGKILL);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
