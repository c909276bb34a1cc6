// SPDX-License-Identifier: Apache-2.0
//
// Style: a std::thread that begins and ends in each launch.
#include <thread>

#include "honest.h"

static int launch(struct honest *h) {
    std::thread odd([h] { honest_rows_by(h, 1, 2); });
    honest_rows_by(h, 0, 2);
    odd.join();
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
