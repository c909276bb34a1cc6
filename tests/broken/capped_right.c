// SPDX-License-Identifier: Apache-2.0
//
// Right, and knows capped scores: what ignores_cap_when_timed.c is compared with.
#include "capped.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    capped_all(b, cap);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
