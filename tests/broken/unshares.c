// SPDX-License-Identifier: Apache-2.0
//
// Leaves a process behind in namespaces of its own, where its numbers and its user are others.
#include "hostile.h"

#include <sched.h>

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    static int is_done;
    if (!is_done++) {
        const pid_t child = hostile_fork(0);
        if (child == 0) {
            if (unshare(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS) < 0) _exit(0);
            if (hostile_fork(0) == 0) hostile_become_sleeper();
            _exit(0);
        }
        if (child > 0) waitpid(child, NULL, 0);
    }
    broken_right(b);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
