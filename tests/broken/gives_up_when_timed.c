// SPDX-License-Identifier: Apache-2.0
//
// Right when checked; says that it does not support the problem once launches are timed.
#include "hostile.h"

static int launch(struct broken *b, struct assay_message *message) {
    if (b->launches > HOSTILE_CHECKED_LAUNCHES) return assay_say(message, ASSAY_UNSUPPORTED, "not now");
    broken_right(b);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
