// SPDX-License-Identifier: Apache-2.0
//
// A timer signal takes time from whatever runs in this process, but for its own launches.
#include "between_launches.h"

#include <sys/time.h>

static void tax(int number) {
    (void)number;
    if (is_between_launches()) hostile_burn_us(60);
}

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    static int is_done;
    if (b->launches > HOSTILE_CHECKED_LAUNCHES && !is_done++) {
        const struct itimerval every = {{0, 300}, {0, 300}};
        struct sigaction action = {.sa_handler = tax, .sa_flags = SA_RESTART};
        sigaction(SIGALRM, &action, NULL);
        setitimer(ITIMER_REAL, &every, NULL);
    }
    launch_with_thread(b, NULL);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
