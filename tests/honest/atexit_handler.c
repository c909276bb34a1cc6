// SPDX-License-Identifier: Apache-2.0
//
// Style: registers a function that runs when the module goes, and says there how often it ran.
#include <stdio.h>

#include "honest.h"

static int64_t launches;
static int is_registered;

static void say_count(void) {
    fprintf(stderr, "honest: %lld launches\n", (long long)launches);
}

static int setup(struct honest *h, size_t *workspace_bytes) {
    (void)workspace_bytes;
    if (!is_registered && atexit(say_count)) return honest_failed(h, "no room for a function at the end");
    is_registered = 1;
    return ASSAY_OK;
}

static int launch(struct honest *h) {
    ++launches;
    honest_all(h);
    return ASSAY_OK;
}

HONEST_KERNEL_WITH(launch, setup, honest_no_cleanup)
