// SPDX-License-Identifier: Apache-2.0
//
// Style: a handler for SIGSEGV and a blocked SIGUSR1 during a launch; the former ones are put back.
#include <signal.h>
#include <unistd.h>

#include "honest.h"

static void end(int number) {
    (void)number;
    _exit(1);
}

static int launch(struct honest *h) {
    struct sigaction during = {.sa_handler = end}, before;
    sigset_t usr1, mask;
    sigemptyset(&during.sa_mask);
    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    if (sigaction(SIGSEGV, &during, &before)) return honest_failed(h, "no handler");
    if (pthread_sigmask(SIG_BLOCK, &usr1, &mask)) return honest_failed(h, "no signal mask");
    honest_all(h);
    if (pthread_sigmask(SIG_SETMASK, &mask, NULL)) return honest_failed(h, "no signal mask");
    if (sigaction(SIGSEGV, &before, NULL)) return honest_failed(h, "no handler");
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
