// SPDX-License-Identifier: Apache-2.0
//
// Writes to an address that no memory of the device is mapped to.
#include "broken.cuh"

static int launch(struct broken *b, cudaStream_t stream, struct assay_message *message) {
    broken_right(b, stream);
    broken_poke<<<1, 1, 0, stream>>>(b->args.o + (INT64_C(1) << 44), 1.0f);
    return broken_end(message);
}

BROKEN_KERNEL(launch)
