// SPDX-License-Identifier: Apache-2.0
//
// A kernel whose name clears the terminal.
#include "evil_text.h"
#define BROKEN_NAME EVIL_TEXT
#include "broken.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    broken_right(b);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
