// SPDX-License-Identifier: Apache-2.0
//
// Blocks and ignores every signal that can be, and never comes back from a timed launch.
#include "hostile.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    broken_right(b);
    if (b->launches > HOSTILE_CHECKED_LAUNCHES) {
        sigset_t all;
        sigfillset(&all);
        sigprocmask(SIG_SETMASK, &all, NULL);
        for (int number = 1; number < 32; ++number) signal(number, SIG_IGN);
        for (;;) hostile_sleep_us(100000);
    }
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
