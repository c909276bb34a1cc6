// SPDX-License-Identifier: Apache-2.0
//
// Style: the compiler makes a function for several processors, and the loader chooses.
#include "wide.h"

#if defined(__x86_64__)
#define CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define CLONES
#endif

CLONES static float dot(const float *a, const float *b, int64_t n) {
    double sum[4] = {0};
    for (int64_t d = 0; d < n; ++d) sum[d % 4] += (double)a[d] * b[d];
    return (float)((sum[0] + sum[1]) + (sum[2] + sum[3]));
}

static int launch(struct honest *h) {
    wide_all(h, dot);
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
