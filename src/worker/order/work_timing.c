// SPDX-License-Identifier: Apache-2.0
//
// What the steps of timing share: whose results lie in which outputs.
#include "worker/order/work_timing_internal.h"

void timing_note_use(struct timing *timing, size_t side, uint32_t k) {
    for (size_t other = 0; other < timing->sampler.side_count && !timing->work->is_apart; ++other)
        timing->has_used[other][k] = false;
    timing->has_used[side][k] = true;
}
