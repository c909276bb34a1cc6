// SPDX-License-Identifier: Apache-2.0
//
// Leaves a process behind that uses a processor while the other side is measured. It wipes its environment,
// by which it could be known.
#include "hostile.h"

extern char **environ;

static void become_burner(void) {
    setsid();
    for (char **at = environ; *at; ++at) memset(*at, 0, strlen(*at));
    if (hostile_fork(0) == 0) hostile_burn_us(20000000);
    _exit(0);
}

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    static int is_done;
    if (b->launches > HOSTILE_CHECKED_LAUNCHES && !is_done++ && hostile_fork(0) == 0) become_burner();
    broken_right(b);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
