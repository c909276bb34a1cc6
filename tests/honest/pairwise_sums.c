// SPDX-License-Identifier: Apache-2.0
//
// Style: single precision with sums in a tree, halves first.
#include "honest.h"

static float dot(const float *a, const float *b, int64_t n) {
    if (n == 1) return a[0] * b[0];
    return dot(a, b, n / 2) + dot(a + n / 2, b + n / 2, n - n / 2);
}

static float total(const float *e, int64_t n) {
    return n == 1 ? e[0] : total(e, n / 2) + total(e + n / 2, n - n / 2);
}

static float mix(const float *e, const float *v, int64_t stride, int64_t n) {
    if (n == 1) return e[0] * v[0];
    return mix(e, v, stride, n / 2) + mix(e + n / 2, v + n / 2 * stride, stride, n - n / 2);
}

static int launch(struct honest *h) {
    for (int64_t i = 0; i < honest_rows(h); ++i) {
        const struct honest_place p = honest_place_of(h, i);
        float e[HONEST_KEYS_MAX], max = -INFINITY;
        for (int64_t j = 0; j < p.visible; ++j) {
            e[j] = dot(p.q, honest_key(h, &p, j), h->head_dim) * (float)h->scale;
            if (e[j] > max) max = e[j];
        }
        for (int64_t j = 0; j < p.visible; ++j) e[j] = expf(e[j] - max);
        const float weight = p.visible ? total(e, p.visible) : 1;
        for (int64_t d = 0; d < h->head_dim; ++d)
            p.o[d] = p.visible ? mix(e, honest_value(h, &p, 0) + d, h->v.stride[2], p.visible) / weight : 0;
    }
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
