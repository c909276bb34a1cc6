// SPDX-License-Identifier: Apache-2.0
//
// Says that a batch is done before its last launch, which it makes while the answer is on its way and others
// look for what has been written.
#include "channel_hooks.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    static int usual, before; // launches of the last two batches
    static uint32_t number;
    if (channel.number != number) {
        before = usual;
        usual = channel.launches;
    }
    channel_launch();
    if (channel.number != number) {
        number = channel.number;
    } else if (usual > 2 && usual == before && channel.launches == usual) {
        channel_answer_now();
    }
    broken_right(b);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
