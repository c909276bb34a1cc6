// SPDX-License-Identifier: Apache-2.0
//
// A constructor ends the process with success, whatever it was started for.
#include "hostile.h"

__attribute__((constructor)) static void leave(void) {
    _exit(0);
}

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    broken_right(b);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
