// SPDX-License-Identifier: Apache-2.0
//
// Uses one key too many: the memory after K and V takes part in the result.
#include "broken.cuh"

static int launch(struct broken *b, cudaStream_t stream, struct assay_message *message) {
    ++b->args.seq_k;
    broken_right(b, stream);
    --b->args.seq_k;
    return broken_end(message);
}

BROKEN_KERNEL(launch)
