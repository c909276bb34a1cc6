// SPDX-License-Identifier: Apache-2.0
//
// A launch fails with a sentence that clears the terminal, rings, and speaks to workflow logs, Markdown and
// HTML.
#include "broken.h"
#include "evil_text.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)b;
    return assay_say(message, ASSAY_FAILED, EVIL_TEXT);
}

BROKEN_KERNEL(launch)
