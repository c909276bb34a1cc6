// SPDX-License-Identifier: Apache-2.0
//
// Style: every number as three of bf16, as kernels for matrix units do: their products are exact, and their
// sums are of double precision.
#include "wide.h"

#define PARTS 3

static float bf16(float x) {
    union {
        float value;
        uint32_t bits;
    } u = {x};
    u.bits &= 0xffff0000u;
    return u.value;
}

static void split(float x, float ret[PARTS]) {
    for (int i = 0; i < PARTS; ++i) {
        ret[i] = bf16(x);
        x = isfinite(x) ? x - ret[i] : 0;
    }
}

static float dot(const float *a, const float *b, int64_t n) {
    double sum = 0;
    for (int64_t d = 0; d < n; ++d) {
        float of_a[PARTS], of_b[PARTS];
        split(a[d], of_a);
        split(b[d], of_b);
        for (int i = 0; i < PARTS; ++i)
            for (int j = 0; i + j < PARTS; ++j) sum += (double)(of_a[i] * of_b[j]);
    }
    return (float)sum;
}

static int launch(struct honest *h) {
    wide_all(h, dot);
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
