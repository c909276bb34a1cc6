// SPDX-License-Identifier: Apache-2.0
//
// Prints 128 MB to standard output and as much to standard error.
#include "hostile.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    static char block[1 << 16];
    static int is_done;
    for (int i = 0; !is_done && i < 2048; ++i)
        for (int fd = 1; fd <= 2; ++fd)
            if (write(fd, block, sizeof block) < 0) errno = 0;
    is_done = 1;
    broken_right(b);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
