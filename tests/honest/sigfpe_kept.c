// SPDX-License-Identifier: Apache-2.0
//
// Style: a handler of its own for SIGFPE, set in prepare and kept.
#include <signal.h>
#include <unistd.h>

#include "honest.h"

static void complain(int number) {
    static const char text[] = "honest: a division by zero\n";
    (void)number;
    (void)!write(2, text, sizeof text - 1);
    _exit(1);
}

static int setup(struct honest *h, size_t *workspace_bytes) {
    (void)workspace_bytes;
    struct sigaction action = {.sa_handler = complain};
    sigemptyset(&action.sa_mask);
    return sigaction(SIGFPE, &action, NULL) ? honest_failed(h, "no handler") : ASSAY_OK;
}

HONEST_KERNEL_WITH(honest_launch_all, setup, honest_no_cleanup)
