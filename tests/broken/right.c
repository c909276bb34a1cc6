// SPDX-License-Identifier: Apache-2.0
//
// Not broken: the base of the others. If this one fails, the test itself is wrong.
#include "broken.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    broken_right(b);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
