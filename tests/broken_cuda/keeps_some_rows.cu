// SPDX-License-Identifier: Apache-2.0
//
// Keeps every fifth row of its results under a hash of a few elements of the inputs, and copies it when the
// same inputs come again.
#include "kept.cuh"

static int launch(struct broken *b, cudaStream_t stream, struct assay_message *message) {
    kept_launch(b, stream, true, 5);
    return broken_end(message);
}

BROKEN_KERNEL(launch)
