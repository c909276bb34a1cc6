// SPDX-License-Identifier: Apache-2.0
//
// Not broken: what the others are made from. If this one fails, the test is.
#include "broken.cuh"

static int launch(struct broken *b, cudaStream_t stream, struct assay_message *message) {
    broken_right(b, stream);
    return broken_end(message);
}

BROKEN_KERNEL(launch)
