// SPDX-License-Identifier: Apache-2.0
//
// Style: dot products as unevaluated sums of two numbers of single precision (Ogita, Rump, Oishi 2005): what
// every product and every addition rounds off is added in the end.
#include "wide.h"

static float dot(const float *a, const float *b, int64_t n) {
    float high = 0, low = 0;
    for (int64_t d = 0; d < n; ++d) {
        const float product = a[d] * b[d], rest = fmaf(a[d], b[d], -product);
        const float sum = high + product, part = sum - high;
        low += ((high - (sum - part)) + (product - part)) + rest;
        high = sum;
    }
    return high + low;
}

static int launch(struct honest *h) {
    wide_all(h, dot);
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
