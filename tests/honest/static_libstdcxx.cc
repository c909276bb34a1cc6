// SPDX-License-Identifier: Apache-2.0
//
// Style: its own copy of the C++ library, which throws and allocates inside of the module.
#include <numeric>
#include <stdexcept>
#include <vector>

#include "honest.h"

static int launch(struct honest *h) {
    std::vector<int64_t> order((size_t)honest_rows(h));
    std::iota(order.begin(), order.end(), int64_t{0});
    for (const int64_t i : order) honest_row(h, i);
    try {
        (void)order.at(order.size());
    } catch (const std::out_of_range &) {
        return ASSAY_OK;
    }
    return honest_failed(h, "no exception");
}

HONEST_KERNEL(launch)
