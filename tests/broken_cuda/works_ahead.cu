// SPDX-License-Identifier: Apache-2.0
//
// Notices that its process was stopped and goes on, which comes before every sample, and computes the first
// launches of the sample at once, side by side, before it is asked for them.
#include "ahead.cuh"

#define STOPPED_NS 400000  // of the thread's usual pause it is five times
#define ASKED_NS   1000000 // a launch may skip what is younger: the blocking kernel takes 200 us of it

static bool ahead_is_time(struct ahead *ahead, uint64_t now_ns) {
    return ahead->captured && now_ns - ahead->looked_ns > STOPPED_NS;
}

static int launch(struct broken *b, cudaStream_t stream, struct assay_message *message) {
    ahead_launch(b, stream, ASKED_NS);
    return broken_end(message);
}

BROKEN_KERNEL(launch)
