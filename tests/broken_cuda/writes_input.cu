// SPDX-License-Identifier: Apache-2.0
//
// Scales one element of Q in place.
#include "broken.cuh"

static int launch(struct broken *b, cudaStream_t stream, struct assay_message *message) {
    broken_right(b, stream);
    broken_poke<<<1, 1, 0, stream>>>((__half *)(uintptr_t)b->args.q, 0.25f);
    return broken_end(message);
}

BROKEN_KERNEL(launch)
