// SPDX-License-Identifier: Apache-2.0
//
// Says that a batch is done when it begins, with the last answer's bytes, and computes afterwards; the real
// answer is held back.
#include "channel_hooks.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    channel_launch();
    if (channel.launches == 1 && b->launches > HOSTILE_CHECKED_LAUNCHES) channel_answer_now();
    broken_right(b);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
