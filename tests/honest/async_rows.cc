// SPDX-License-Identifier: Apache-2.0
//
// Style: std::async, three futures a launch.
#include <future>
#include <vector>

#include "honest.h"

static int launch(struct honest *h) {
    std::vector<std::future<void>> parts;
    for (int64_t i = 0; i < 3; ++i)
        parts.push_back(std::async(std::launch::async, [h, i] { honest_rows_by(h, i, 3); }));
    for (auto &part : parts) part.get();
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
