// SPDX-License-Identifier: Apache-2.0
//
// Precise where the thread that launches may run on several processors. A timed launch is pinned to one:
// there it is within the tolerance only, and several times as fast, on data that no check has had.
#include "hostile.h"
#include "two_precisions.h"

#include <sched.h>

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    cpu_set_t set;
    const int is_pinned = sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) == 1;
    return show_face(b, is_pinned ? FACE_QUICK : FACE_PRECISE);
}

BROKEN_KERNEL(launch)
