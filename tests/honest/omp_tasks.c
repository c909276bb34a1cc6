// SPDX-License-Identifier: Apache-2.0
//
// Style: OpenMP tasks, one for eight rows.
#include "honest.h"

static void rows_from(struct honest *h, int64_t first) {
    for (int64_t i = first; i < first + 8 && i < honest_rows(h); ++i) honest_row(h, i);
}

static int launch(struct honest *h) {
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int64_t i = 0; i < honest_rows(h); i += 8) {
#pragma omp task firstprivate(i)
        rows_from(h, i);
    }
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
