// SPDX-License-Identifier: Apache-2.0
//
// Reads workspace that nobody has written (a kernel of KernelBench claimed 104 x by reading past its shared
// memory).
#define BROKEN_WORKSPACE 4096
#include "broken.h"

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    const float *sums = b->workspace;
    broken_right(b);
    for (int64_t d = 0; d < b->head_dim; ++d) broken_last_row(b)[d] += sums[d];
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
