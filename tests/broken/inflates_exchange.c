// SPDX-License-Identifier: Apache-2.0
//
// Answers late where nothing was launched, so that an exchange seems to cost much; that cost is taken off
// the time of its batches, and its own stamps agree.
#include "channel_hooks.h"

#define INFLATED_US 500u

static void inflate(char *answer, size_t bytes) {
    uint64_t *times = channel.launches ? channel_times(answer, bytes) : NULL;
    if (!channel.launches) hostile_burn_us(INFLATED_US);
    if (times && times[1] > INFLATED_US * 1500u) times[1] -= INFLATED_US * 1000u;
}

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    channel_change = inflate;
    channel_launch();
    broken_right(b);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
