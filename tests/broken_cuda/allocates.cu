// SPDX-License-Identifier: Apache-2.0
//
// Allocates device memory in every launch.
#include "broken.cuh"

static int launch(struct broken *b, cudaStream_t stream, struct assay_message *message) {
    void *scratch = nullptr;
    if (cudaMalloc(&scratch, 1 << 20) != cudaSuccess) return broken_end(message);
    broken_right(b, stream);
    (void)cudaFree(scratch);
    return broken_end(message);
}

BROKEN_KERNEL(launch)
