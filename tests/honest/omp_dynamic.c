// SPDX-License-Identifier: Apache-2.0
//
// Style: two OpenMP threads that take rows as they come, so that the order of the work differs from
// launch to launch.
#include "honest.h"

static int launch(struct honest *h) {
    const int64_t rows = honest_rows(h);
#pragma omp parallel for schedule(dynamic, 1) num_threads(2)
    for (int64_t i = 0; i < rows; ++i) honest_row(h, i);
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
