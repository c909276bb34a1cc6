// SPDX-License-Identifier: Apache-2.0
#include "base/interrupt.h"

#include <signal.h>

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number) {
    (void)number;
    interrupted = 1;
}

void interrupt_catch(void) {
    // No SA_RESTART: the signal must end blocking waits. SA_RESETHAND: a second Ctrl-C ends the process,
    // and its children with it.
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND};
    struct sigaction before;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(SIGHUP, &action, NULL);
}

bool interrupt_is_set(void) {
    return interrupted != 0;
}
