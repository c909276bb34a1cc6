// SPDX-License-Identifier: Apache-2.0
//
// Style: a signal stack of its own during a launch; the former one is put back.
#include <signal.h>

#include "honest.h"

#define BYTES ((size_t)64 << 10)

static int setup(struct honest *h, size_t *workspace_bytes) {
    (void)workspace_bytes;
    h->own = malloc(BYTES);
    return h->own ? ASSAY_OK : honest_failed(h, "out of memory");
}

static int launch(struct honest *h) {
    const stack_t during = {.ss_sp = h->own, .ss_size = BYTES};
    stack_t before;
    if (sigaltstack(&during, &before)) return honest_failed(h, "no signal stack");
    honest_all(h);
    if (sigaltstack(&before, NULL)) return honest_failed(h, "no signal stack");
    return ASSAY_OK;
}

HONEST_KERNEL_WITH(launch, setup, honest_no_cleanup)
