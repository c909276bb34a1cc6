// SPDX-License-Identifier: Apache-2.0
//
// Computes half of the rows while its stream is captured into a graph, as only timed launches are.
#include "broken.cuh"

static int launch(struct broken *b, cudaStream_t stream, struct assay_message *message) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    (void)cudaStreamIsCapturing(stream, &status);
    b->args.row_count = status == cudaStreamCaptureStatusNone ? b->args.seq_q : (b->args.seq_q + 1) / 2;
    broken_right(b, stream);
    return broken_end(message);
}

BROKEN_KERNEL(launch)
