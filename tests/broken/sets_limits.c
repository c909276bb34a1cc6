// SPDX-License-Identifier: Apache-2.0
//
// Takes from its process what it needs to go on: descriptors, address space, permissions of new files, its
// folder.
#include "hostile.h"

#include <sys/resource.h>

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    static int is_done;
    broken_right(b);
    if (b->launches > 8 && !is_done++) {
        const struct rlimit few = {3, 3}, small = {1 << 20, 1 << 20};
        setrlimit(RLIMIT_NOFILE, &few);
        setrlimit(RLIMIT_AS, &small);
        for (int fd = 4; fd < 64; ++fd) close(fd);
        umask(0777);
        if (chdir("/") < 0) errno = 0;
    }
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
