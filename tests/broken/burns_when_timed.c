// SPDX-License-Identifier: Apache-2.0
//
// A thread uses a processor while the other side is measured, and sleeps during its own launches.
#include "between_launches.h"

static void *burn(void *arg) {
    hostile_roam();
    for (;;)
        if (!is_between_launches()) hostile_sleep_us(100);
    return arg;
}

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    launch_with_thread(b, burn);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
