// SPDX-License-Identifier: Apache-2.0
//
// Puts /dev/null in the place of the files by which a process sees that its threads had to wait.
#include "hostile.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    char link[64], path[256];
    for (int fd = 3; b->launches == HOSTILE_CHECKED_LAUNCHES && fd < 64; ++fd) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        const ssize_t length = readlink(link, path, sizeof path - 1);
        if (length < 0) continue;
        path[length] = 0;
        const int null = strstr(path, "schedstat") ? open("/dev/null", O_RDONLY) : -1;
        if (null < 0) continue;
        dup2(null, fd);
        close(null);
    }
    broken_right(b);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
