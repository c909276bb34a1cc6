// SPDX-License-Identifier: Apache-2.0
//
// Warm-up detection (pygpubench): slow for its first launches, so that few launches are taken to be enough
// for a sample.
#include "hostile.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    if (b->launches > HOSTILE_CHECKED_LAUNCHES && b->launches < 64) hostile_sleep_us(300);
    broken_right(b);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
