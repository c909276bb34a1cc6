// SPDX-License-Identifier: Apache-2.0
//
// Writes past the end of its output and swallows the signal for that with a handler of its own.
#include "hostile.h"

#include <setjmp.h>

static sigjmp_buf back;

static void swallow(int number) {
    (void)number;
    siglongjmp(back, 1);
}

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    const struct sigaction action = {.sa_handler = swallow, .sa_flags = SA_NODEFER};
    struct sigaction before;
    broken_right(b);
    sigaction(SIGSEGV, &action, &before);
    if (sigsetjmp(back, 0) == 0)
        for (volatile float *at = broken_last_row(b) + b->head_dim;; ++at) *at = 1;
    sigaction(SIGSEGV, &before, NULL);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
