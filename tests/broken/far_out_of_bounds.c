// SPDX-License-Identifier: Apache-2.0
//
// Writes a word 40 KB behind its output, in the midst of what guards it.
#include "broken.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    broken_right(b);
    *(volatile float *)(broken_last_row(b) + 10240) = 1;
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
