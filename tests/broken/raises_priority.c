// SPDX-License-Identifier: Apache-2.0
//
// Gives itself the highest priority that it can get, and the lowest between its own launches.
#include "hostile.h"

#include <sched.h>
#include <sys/resource.h>

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    const struct sched_param first = {.sched_priority = 1}, none = {0};
    const int is_timed = b->launches > HOSTILE_CHECKED_LAUNCHES;
    if (is_timed && sched_setscheduler(0, SCHED_FIFO, &first) < 0) setpriority(PRIO_PROCESS, 0, -20);
    broken_right(b);
    if (is_timed) {
        sched_setscheduler(0, SCHED_OTHER, &none);
        setpriority(PRIO_PROCESS, 0, 0);
    }
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
