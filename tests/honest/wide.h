// SPDX-License-Identifier: Apache-2.0
//
// A row from a product of two vectors that is the caller's, for kernels whose style is the instructions
// they use.
#ifndef HONEST_WIDE_H
#define HONEST_WIDE_H

#include "honest.h"

typedef float (*dot_function)(const float *a, const float *b, int64_t n);

static inline float dot_plain(const float *a, const float *b, int64_t n) {
    double sum = 0;
    for (int64_t d = 0; d < n; ++d) sum += (double)a[d] * b[d];
    return (float)sum;
}

static inline void wide_all(struct honest *h, dot_function dot) {
    for (int64_t i = 0; i < honest_rows(h); ++i) {
        const struct honest_place p = honest_place_of(h, i);
        float e[HONEST_KEYS_MAX], max = -INFINITY;
        double sum[HONEST_DIM_MAX] = {0}, weight = 0;
        for (int64_t j = 0; j < p.visible; ++j) {
            e[j] = dot(p.q, honest_key(h, &p, j), h->head_dim) * (float)h->scale;
            if (e[j] > max) max = e[j];
        }
        for (int64_t j = 0; j < p.visible; ++j) {
            const float *v = honest_value(h, &p, j);
            e[j] = expf(e[j] - max);
            weight += (double)e[j];
            for (int64_t d = 0; d < h->head_dim; ++d) sum[d] += (double)e[j] * v[d];
        }
        for (int64_t d = 0; d < h->head_dim; ++d) p.o[d] = p.visible ? (float)(sum[d] / weight) : 0;
    }
}

#endif
