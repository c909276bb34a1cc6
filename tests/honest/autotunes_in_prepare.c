// SPDX-License-Identifier: Apache-2.0
//
// Style: prepare tries two orders of the rows on data of its own, and takes their times, once for each
// problem. Both give the same bits.
#include "honest.h"
#include "own_time.h"

#define TRIALS 5
#define ROWS   64
#define WIDTH  128

static int64_t trial_ns(const float *rows, int64_t step) {
    volatile float sum = 0;
    const int64_t start_ns = now_ns();
    for (int64_t first = 0; first < step; ++first)
        for (int64_t i = first; i < ROWS; i += step)
            for (int64_t d = 0; d < WIDTH; ++d) sum = sum + rows[i * WIDTH + d];
    return now_ns() - start_ns;
}

static int setup(struct honest *h, size_t *workspace_bytes) {
    (void)workspace_bytes;
    float *rows = (float *)calloc(ROWS * WIDTH, sizeof *rows);
    int64_t *step = (int64_t *)malloc(sizeof *step);
    h->own = step;
    int64_t best_ns[2] = {INT64_MAX, INT64_MAX};
    for (int i = 0; i < TRIALS && rows; ++i)
        for (int order = 0; order < 2; ++order) {
            const int64_t ns = trial_ns(rows, order ? 8 : 1);
            if (ns < best_ns[order]) best_ns[order] = ns;
        }
    free(rows);
    if (!rows || !step) return honest_failed(h, "out of memory");
    *step = best_ns[1] < best_ns[0] ? 8 : 1;
    return ASSAY_OK;
}

static int launch(struct honest *h) {
    const int64_t step = *(int64_t *)h->own;
    for (int64_t first = 0; first < step; ++first) honest_rows_by(h, first, step);
    return ASSAY_OK;
}

HONEST_KERNEL_WITH(launch, setup, honest_no_cleanup)
