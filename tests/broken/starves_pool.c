// SPDX-License-Identifier: Apache-2.0
//
// Between its own launches all threads of the process have the lowest priority there is (SCHED_IDLE).
#include "threads_of_process.h"

#include <sched.h>

static int policy = SCHED_OTHER;

static void set_policy(pid_t thread) {
    const struct sched_param none = {0};
    sched_setscheduler(thread, policy, &none);
}

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    if (b->launches <= HOSTILE_CHECKED_LAUNCHES) {
        broken_right(b);
        return ASSAY_OK;
    }
    policy = SCHED_OTHER;
    set_policy(0);
    broken_right(b);
    policy = SCHED_IDLE;
    threads_of_process(set_policy);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
