// SPDX-License-Identifier: Apache-2.0
//
// Style: single precision with eight partial sums, as a vector unit has them, added up at the end.
#include "honest.h"

#define LANES 8

static float dot(const float *a, const float *b, int64_t n) {
    float lane[LANES] = {0};
    for (int64_t d = 0; d < n; ++d) lane[d % LANES] += a[d] * b[d];
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

static int launch(struct honest *h) {
    for (int64_t i = 0; i < honest_rows(h); ++i) {
        const struct honest_place p = honest_place_of(h, i);
        float e[HONEST_KEYS_MAX], sum[HONEST_DIM_MAX] = {0}, weight[LANES] = {0}, max = -INFINITY, all = 0;
        for (int64_t j = 0; j < p.visible; ++j) {
            e[j] = dot(p.q, honest_key(h, &p, j), h->head_dim) * (float)h->scale;
            if (e[j] > max) max = e[j];
        }
        for (int64_t j = 0; j < p.visible; ++j) {
            const float *v = honest_value(h, &p, j);
            e[j] = expf(e[j] - max);
            weight[j % LANES] += e[j];
            for (int64_t d = 0; d < h->head_dim; ++d) sum[d] += e[j] * v[d];
        }
        for (int l = 0; l < LANES; ++l) all += weight[l];
        for (int64_t d = 0; d < h->head_dim; ++d) p.o[d] = p.visible ? sum[d] / all : 0;
    }
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
