// SPDX-License-Identifier: Apache-2.0
//
// Requests more shared memory than a thread block may have.
#include "broken.cuh"

static int launch(struct broken *b, cudaStream_t stream, struct assay_message *message) {
    const int64_t rows = b->batch * b->args.heads * b->args.row_count;
    broken_rows<<<(unsigned)rows, 32, 1 << 20, stream>>>(b->args);
    return broken_end(message);
}

BROKEN_KERNEL(launch)
