// SPDX-License-Identifier: Apache-2.0
//
// Right, but leaves a message that claims 4e9 bytes, without an end, at a wild address.
#include "broken.h"

static int launch(struct broken *b, struct assay_message *message) {
    broken_right(b);
    if (message && (uintptr_t)message->text > 4096) { // not where we have sent it
        memset(message->text, 'x', message->capacity);
        message->length = 4000000000u;
        message->text = (char *)(uintptr_t)8;
    }
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
