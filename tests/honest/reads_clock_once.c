// SPDX-License-Identifier: Apache-2.0
//
// Style: asks for the time once, in prepare, and prints it.
#include <stdio.h>
#include <time.h>

#include "honest.h"

static int setup(struct honest *h, size_t *workspace_bytes) {
    (void)h, (void)workspace_bytes;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    fprintf(stderr, "honest: prepared at %lld\n", (long long)now.tv_sec);
    return ASSAY_OK;
}

HONEST_KERNEL_WITH(honest_launch_all, setup, honest_no_cleanup)
