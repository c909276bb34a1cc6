// SPDX-License-Identifier: Apache-2.0
//
// A thread ends the process as if all were well, a little after its own launches: while the other side is at
// work.
#include "between_launches.h"

static void *leave(void *arg) {
    for (int i = 0; i < 20;) {
        hostile_sleep_us(100);
        i += is_between_launches();
    }
    _exit(0);
    return arg;
}

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    launch_with_thread(b, leave);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
