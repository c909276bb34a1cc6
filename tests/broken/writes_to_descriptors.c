// SPDX-License-Identifier: Apache-2.0
//
// Writes to every descriptor it has: bytes that may be taken for an answer, or for a record.
#include "hostile.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    static const uint64_t words[16] = {1, 1, 1, 1};
    for (int fd = 3; b->launches == HOSTILE_CHECKED_LAUNCHES && fd < 64; ++fd) {
        const int flags = fcntl(fd, F_GETFL);
        if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) continue;
        fcntl(fd, F_SETFL, flags | O_NONBLOCK);
        if (write(fd, words, sizeof words) < 0) errno = 0;
        fcntl(fd, F_SETFL, flags);
    }
    broken_right(b);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
