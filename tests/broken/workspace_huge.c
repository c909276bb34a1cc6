// SPDX-License-Identifier: Apache-2.0
//
// Asks for a workspace of 2^62 bytes.
#define BROKEN_WORKSPACE ((size_t)1 << 62)
#include "broken.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    broken_right(b);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
