// SPDX-License-Identifier: Apache-2.0
//
// Works on a stream of its own, forked after the passed stream, which joins it only in the next launch.
#include "broken.cuh"

static int launch(struct broken *b, cudaStream_t stream, struct assay_message *message) {
    if (b->launches > 1) (void)cudaStreamWaitEvent(stream, b->join, 0);
    (void)cudaEventRecord(b->fork, stream);
    (void)cudaStreamWaitEvent(b->own_stream, b->fork, 0);
    broken_right(b, b->own_stream);
    (void)cudaEventRecord(b->join, b->own_stream);
    return broken_end(message);
}

BROKEN_KERNEL(launch)
