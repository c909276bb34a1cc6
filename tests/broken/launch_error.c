// SPDX-License-Identifier: Apache-2.0
//
// Returns an error from launch.
#include "broken.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)b;
    return assay_say(message, ASSAY_FAILED, "no luck today");
}

BROKEN_KERNEL(launch)
