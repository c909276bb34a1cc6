// SPDX-License-Identifier: Apache-2.0
//
// Right and measurable, but a destructor of the module crashes, after the process has said that all is done.
#include "hostile.h"

__attribute__((destructor)) static void crash(void) {
    int *volatile wild = (int *)(uintptr_t)8;
    *wild = 1;
}

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    broken_right(b);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
