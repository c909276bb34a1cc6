// SPDX-License-Identifier: Apache-2.0
//
// Style: tries in prepare whether the processor knows an instruction, as libraries do that must run
// everywhere: a handler for SIGILL jumps back.
#include <setjmp.h>
#include <signal.h>

#include "honest.h"

static sigjmp_buf back;

static void jump_back(int number) {
    (void)number;
    siglongjmp(back, 1);
}

static int setup(struct honest *h, size_t *workspace_bytes) {
    (void)workspace_bytes;
    struct sigaction during = {.sa_handler = jump_back}, before;
    sigemptyset(&during.sa_mask);
    if (sigaction(SIGILL, &during, &before)) return honest_failed(h, "no handler");
    volatile int is_known = 0;
    if (!sigsetjmp(back, 1)) {
        __builtin_trap(); // no processor knows this one
        is_known = 1;
    }
    if (sigaction(SIGILL, &before, NULL)) return honest_failed(h, "no handler");
    return is_known ? honest_failed(h, "the trap did not trap") : ASSAY_OK;
}

HONEST_KERNEL_WITH(honest_launch_all, setup, honest_no_cleanup)
