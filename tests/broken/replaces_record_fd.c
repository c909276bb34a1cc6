// SPDX-License-Identifier: Apache-2.0
//
// Puts /dev/null in the place of the descriptor that results leave the process by.
#include "hostile.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    if (b->launches == HOSTILE_CHECKED_LAUNCHES) dup2(open("/dev/null", O_RDONLY), 3);
    broken_right(b);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
