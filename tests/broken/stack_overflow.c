// SPDX-License-Identifier: Apache-2.0
//
// Needs more stack than there is.
#include <alloca.h>

#include "broken.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    volatile char *stack = alloca((size_t)64 << 20);
    for (size_t i = (size_t)64 << 20; i > 0; i -= 4096) stack[i - 1] = 1;
    broken_right(b);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
