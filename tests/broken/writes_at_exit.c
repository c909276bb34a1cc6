// SPDX-License-Identifier: Apache-2.0
//
// Writes records of its own when the process ends, after everything else has been said (pygpubench: the
// results file is overwritten at exit).
#include "forged_records.h"

__attribute__((destructor)) static void forge(void) {
    forged_answer();
}

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    broken_right(b);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
