// SPDX-License-Identifier: Apache-2.0
//
// Style: promises nothing: every element is read from memory each time it is used.
#include "wide.h"

static float dot(const float *a, const float *b, int64_t n) {
    const volatile float *x = a, *y = b;
    double sum = 0;
    for (int64_t d = 0; d < n; ++d) sum += (double)x[d] * y[d];
    return (float)sum;
}

static int launch(struct honest *h) {
    wide_all(h, dot);
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
