// SPDX-License-Identifier: Apache-2.0
//
// Style: keys so far below the largest score that they cannot change the sums are left out, and where one key
// has all the weight its value is copied. Its time depends on the inputs.
#include "honest.h"

#define FAR 46.0 // 4096 keys of 1e-20 of the weight each are far below what single precision shows

static int is_finite_value(const struct honest *h, const float *v) {
    for (int64_t d = 0; d < h->head_dim; ++d)
        if (!(fabsf(v[d]) < 1e3f)) return 0;
    return 1;
}

static int launch(struct honest *h) {
    for (int64_t i = 0; i < honest_rows(h); ++i) {
        const struct honest_place p = honest_place_of(h, i);
        double score[HONEST_KEYS_MAX], sum[HONEST_DIM_MAX] = {0}, weight = 0, max = -INFINITY;
        int64_t near = 0;
        for (int64_t j = 0; j < p.visible; ++j) {
            score[j] = honest_score(h, p.q, honest_key(h, &p, j));
            if (score[j] > max) max = score[j];
        }
        const float *only = NULL;
        for (int64_t j = 0; j < p.visible; ++j) {
            const float *v = honest_value(h, &p, j);
            if (score[j] < max - FAR && is_finite_value(h, v)) continue;
            const double e = exp(score[j] - max);
            only = v;
            ++near;
            weight += e;
            for (int64_t d = 0; d < h->head_dim; ++d) sum[d] += e * v[d];
        }
        if (near == 1 && weight == 1)
            memcpy(p.o, only, (size_t)h->head_dim * sizeof *only);
        else
            for (int64_t d = 0; d < h->head_dim; ++d) p.o[d] = p.visible ? (float)(sum[d] / weight) : 0;
    }
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
