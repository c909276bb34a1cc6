// SPDX-License-Identifier: Apache-2.0
//
// Not broken: the base of the others. If this one fails, the test itself is wrong.
#include "broken.cuh"

static int launch(struct broken *b, cudaStream_t stream, struct assay_message *message) {
    broken_right(b, stream);
    return broken_end(message);
}

BROKEN_KERNEL(launch)
