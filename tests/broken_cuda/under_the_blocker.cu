// SPDX-License-Identifier: Apache-2.0
//
// Asks again and again whether its stream is busy. It is while the blocking kernel holds back a sample,
// which nobody counts: meanwhile the first launches of the sample are computed on another stream.
#include "ahead.cuh"

#define BLOCKER_NS 260000  // a launch may skip what is younger: the blocking kernel takes 200 us
#define SETTLED_NS 2000000 // after a call of launch, which may be part of a capture

// A stream that is being captured must not be asked: the capture would break.
static bool ahead_is_time(struct ahead *ahead, uint64_t now_ns) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    if (!ahead->captured || now_ns - ahead->called_ns < SETTLED_NS ||
        cudaStreamIsCapturing(ahead->watched, &status) != cudaSuccess ||
        status != cudaStreamCaptureStatusNone)
        return false;
    const bool was_busy = ahead->was_busy;
    ahead->was_busy = cudaStreamQuery(ahead->watched) == cudaErrorNotReady;
    return ahead->was_busy && !was_busy;
}

static int launch(struct broken *b, cudaStream_t stream, struct assay_message *message) {
    ahead_launch(b, stream, BLOCKER_NS);
    return broken_end(message);
}

BROKEN_KERNEL(launch)
