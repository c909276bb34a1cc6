// SPDX-License-Identifier: Apache-2.0
//
// Synchronises with its own work inside launch.
#include "broken.cuh"

static int launch(struct broken *b, cudaStream_t stream, struct assay_message *message) {
    broken_right(b, stream);
    (void)cudaStreamSynchronize(stream);
    return broken_end(message);
}

BROKEN_KERNEL(launch)
