// SPDX-License-Identifier: Apache-2.0
//
// Leaves a process behind: a child in a session of its own, that has no environment, starts another one and
// ends.
#include "hostile.h"

static void escape(void) {
    const pid_t child = hostile_fork(0);
    if (child == 0) {
        setsid();
        if (hostile_fork(0) == 0) hostile_become_sleeper();
        _exit(0);
    }
    if (child > 0) waitpid(child, NULL, 0);
}

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    static int is_done;
    if (!is_done++) escape();
    broken_right(b);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
