// SPDX-License-Identifier: Apache-2.0
//
// Does nothing and says that all is well.
#include "broken.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)b, (void)message;
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
