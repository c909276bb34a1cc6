// SPDX-License-Identifier: Apache-2.0
//
// Puts /dev/null in the place of every descriptor but the first three.
#include "hostile.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    broken_right(b);
    if (b->launches == HOSTILE_CHECKED_LAUNCHES) {
        const int null = open("/dev/null", O_RDONLY);
        for (int fd = 3; null >= 0 && fd < 64; ++fd)
            if (fd != null) dup2(null, fd);
    }
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
