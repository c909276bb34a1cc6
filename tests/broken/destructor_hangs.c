// SPDX-License-Identifier: Apache-2.0
//
// Right and measurable, but a destructor of the module never returns.
#include "hostile.h"

__attribute__((destructor)) static void hang(void) {
    for (;;) sleep(1);
}

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    broken_right(b);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
