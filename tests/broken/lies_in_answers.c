// SPDX-License-Identifier: Apache-2.0
//
// Changes the answers of its process on their way: the stamps around a batch are two fifths closer than they
// were.
#include "channel_hooks.h"

static void shorten(char *answer, size_t bytes) {
    uint64_t *times = channel.launches ? channel_times(answer, bytes) : NULL;
    if (times) times[1] = times[1] / 5 * 3;
}

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    channel_change = shorten;
    channel_launch();
    broken_right(b);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
