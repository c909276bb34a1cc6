// SPDX-License-Identifier: Apache-2.0
//
// Right when checked; after a dozen launches it assumes that it is being timed, and does nothing.
#include "broken.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    if (b->launches <= 12) broken_right(b);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
