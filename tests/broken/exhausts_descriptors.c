// SPDX-License-Identifier: Apache-2.0
//
// Opens files until there is no descriptor left.
#include "hostile.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    static int is_done;
    broken_right(b);
    if (!is_done++)
        for (int i = 0; i < 1 << 16; ++i)
            if (open("/dev/null", O_RDONLY) < 0) break;
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
