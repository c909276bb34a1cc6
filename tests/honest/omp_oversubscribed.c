// SPDX-License-Identifier: Apache-2.0
//
// Style: OpenMP with more threads than there are processors.
#include "honest.h"

static int launch(struct honest *h) {
    const int64_t rows = honest_rows(h);
#pragma omp parallel for schedule(static) num_threads(6)
    for (int64_t i = 0; i < rows; ++i) honest_row(h, i);
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
