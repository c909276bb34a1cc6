// SPDX-License-Identifier: Apache-2.0
//
// What the steps of timing share: seeds that nobody has seen, and whose results lie in which outputs.
#include "base/rng.h"
#include "worker/order/work_timing_internal.h"

uint64_t timing_fresh_seed(struct timing *timing) {
    const struct work_order *order = timing->work->order;
    const uint64_t attempt = rng_u64(order->seed ^ timing->work->secret, rng_stream("fresh data"),
                                     ((uint64_t)order->round << 32) + order->attempt);
    return rng_u64(attempt, timing->run->wanted->index, timing->fresh_count++);
}

void timing_note_use(struct timing *timing, size_t side, uint32_t k) {
    for (size_t other = 0; other < timing->sampler.side_count && !timing->work->is_apart; ++other)
        timing->has_used[other][k] = false;
    timing->has_used[side][k] = true;
}
