// SPDX-License-Identifier: Apache-2.0
//
// Takes hold of the process that started it as a debugger does, and stops it.
#include "hostile.h"

#include <sys/ptrace.h>

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    if (b->launches == HOSTILE_CHECKED_LAUNCHES && hostile_parent())
        ptrace(PTRACE_ATTACH, hostile_parent(), NULL, NULL);
    broken_right(b);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
