// SPDX-License-Identifier: Apache-2.0
//
// Once it is timed, all threads of the process have to share one processor between its own launches.
#include "threads_of_process.h"

#include <sched.h>

static cpu_set_t allowed;

static void restrict_thread(pid_t thread) {
    sched_setaffinity(thread, sizeof allowed, &allowed);
}

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    static int is_done;
    broken_right(b);
    if (b->launches > HOSTILE_CHECKED_LAUNCHES && !is_done++) {
        CPU_ZERO(&allowed);
        CPU_SET(1, &allowed);
        threads_of_process(restrict_thread);
    }
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
