// SPDX-License-Identifier: Apache-2.0
//
// Style: OpenMP teams inside of a team, four threads in all.
#include <omp.h>

#include "honest.h"

static int setup(struct honest *h, size_t *workspace_bytes) {
    (void)h, (void)workspace_bytes;
    omp_set_max_active_levels(2);
    return ASSAY_OK;
}

static int launch(struct honest *h) {
    const int64_t rows = honest_rows(h);
#pragma omp parallel for num_threads(2)
    for (int64_t half = 0; half < 2; ++half) {
#pragma omp parallel for num_threads(2)
        for (int64_t i = half; i < rows; i += 2) honest_row(h, i);
    }
    return ASSAY_OK;
}

HONEST_KERNEL_WITH(launch, setup, honest_no_cleanup)
