// SPDX-License-Identifier: Apache-2.0
//
// Leaves a process behind that is no child of its own but of the process that started it (CLONE_PARENT).
#include "hostile.h"

#include <sched.h>

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    static int is_done;
    if (!is_done++ && hostile_fork(CLONE_PARENT) == 0) hostile_become_sleeper();
    broken_right(b);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
