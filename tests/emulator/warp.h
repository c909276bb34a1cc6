// SPDX-License-Identifier: Apache-2.0
//
// State of a warp; internal to the emulator.
#ifndef EMULATOR_WARP_H
#define EMULATOR_WARP_H

#include <deque>

#include "emulator.h"

namespace emulator {

struct pending_product {
    product what;
    float *c[WARP];
    const uint32_t *fragments[WARP];
    int lanes;
};

struct warp {
    meeting what;
    int arrived;
    uint32_t generation;
    uint64_t brought[2][WARP];
    std::deque<pending_product> products;
    uint32_t products_done;
};

// Whether asynchronous work completes at once. The launch's pace decides: always, never, or randomly once in
// `one_in` times.
bool is_done_early(unsigned one_in);

} // namespace emulator

#endif
