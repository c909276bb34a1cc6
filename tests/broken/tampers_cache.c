// SPDX-License-Identifier: Apache-2.0
//
// Writes into assay's cache, where it keeps modules and the log of decided gates.
#include "hostile.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    static int is_done;
    const char *cache = is_done++ ? NULL : getenv("XDG_CACHE_HOME");
    if (cache && hostile_is_target(cache)) {
        char path[4200];
        snprintf(path, sizeof path, "%.4000s/assay/" HOSTILE_MARK, cache);
        const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
        if (fd >= 0) close(fd);
    }
    broken_right(b);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
