// SPDX-License-Identifier: Apache-2.0
//
// Style: its own exponential in single precision: a power of two times a polynomial, right to about one
// unit in the last place.
#include "honest.h"

static float own_exp(float x) {
    if (!(x > -87)) return expf(x); // subnormal results, infinity, not a number
    const float n = rintf(x * 1.44269504f);
    const float r = fmaf(n, -0.693359375f, x), s = fmaf(n, 2.12194440e-4f, r); // ln 2 in two parts
    float p = 1.9875691500e-4f;
    p = fmaf(p, s, 1.3981999507e-3f);
    p = fmaf(p, s, 8.3334519073e-3f);
    p = fmaf(p, s, 4.1665795894e-2f);
    p = fmaf(p, s, 1.6666665459e-1f);
    p = fmaf(p, s, 5.0000001201e-1f);
    return ldexpf(fmaf(p, s * s, s) + 1, (int)n);
}

static double exponential(double x) {
    return (double)own_exp((float)x);
}

static int launch(struct honest *h) {
    honest_all_with(h, exponential);
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
