// SPDX-License-Identifier: Apache-2.0
//
// assay's own random inputs, for whoever knows the seed: copied from its sources, which are public.
#ifndef PREDICTED_INPUTS_H
#define PREDICTED_INPUTS_H

#include "hostile.h"

#define GOLDEN         0x9e3779b97f4a7c15u
#define NAME_ATTENTION 0xd9e3b93a025469f7u // hash of the stream's name
#define NAME_ROTATION  0xa0a7eabf309d9b09u
#define NAME_FRESH     0xc5bdbe77da4675e7u
#define BINS           1024

static inline uint64_t predicted_mix(uint64_t z) {
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static inline uint64_t predicted_u64(uint64_t seed, uint64_t stream, uint64_t index) {
    const uint64_t first = predicted_mix(seed + GOLDEN) + stream;
    return predicted_mix(predicted_mix(first + GOLDEN) + index + GOLDEN);
}

static double predicted_quantile(double p) {
    static const double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                               1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
    static const double b[] = {-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02,
                               6.680131188771972e+01, -1.328068155288572e+01};
    static const double c[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                               -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
    static const double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00,
                               3.754408661907416e+00};
    if (p < 0.02425) {
        const double q = sqrt(-2 * log(p));
        return (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
               ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1);
    }
    const double q = p - 0.5, r = q * q;
    return (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
           (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1);
}

static double predicted_edge[BINS + 1];

static inline float predicted_deviate(uint32_t bits) {
    const uint32_t bin = bits >> 22;
    const double low = predicted_edge[bin], width = predicted_edge[bin + 1] - low;
    return (float)(low + width * ((double)(int32_t)(bits & 0x3fffff) + 0.5) * (1.0 / (1 << 22)));
}

// A dense tensor of that role, distribution normal.
static void predicted_fill(int32_t role, uint64_t seed, size_t count, float *ret) {
    if (predicted_edge[0] == 0) {
        predicted_edge[0] = -4;
        for (int k = 1; k < BINS / 2; ++k) predicted_edge[k] = predicted_quantile((double)k / BINS);
        for (int k = BINS / 2 + 1; k <= BINS; ++k) predicted_edge[k] = -predicted_edge[BINS - k];
        predicted_edge[BINS] = 4;
    }
    uint64_t state = predicted_u64(seed, NAME_ATTENTION + (uint64_t)role, 0);
    for (size_t i = 0; i < count; i += 2, state += GOLDEN) {
        const uint64_t word = predicted_mix(state);
        ret[i] = predicted_deviate((uint32_t)word);
        if (i + 1 < count) ret[i + 1] = predicted_deviate((uint32_t)(word >> 32));
    }
}

#endif
