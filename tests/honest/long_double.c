// SPDX-License-Identifier: Apache-2.0
//
// Style: long double, which on x86 is the old floating-point unit.
#include "honest.h"

static int launch(struct honest *h) {
    for (int64_t i = 0; i < honest_rows(h); ++i) {
        const struct honest_place p = honest_place_of(h, i);
        long double score[HONEST_KEYS_MAX], sum[HONEST_DIM_MAX] = {0}, weight = 0, max = -INFINITY;
        for (int64_t j = 0; j < p.visible; ++j) {
            const float *k = honest_key(h, &p, j);
            long double s = 0;
            for (int64_t d = 0; d < h->head_dim; ++d) s += (long double)p.q[d] * k[d];
            score[j] = s * (long double)h->scale;
            if (score[j] > max) max = score[j];
        }
        for (int64_t j = 0; j < p.visible; ++j) {
            const float *v = honest_value(h, &p, j);
            const long double e = expl(score[j] - max);
            weight += e;
            for (int64_t d = 0; d < h->head_dim; ++d) sum[d] += e * v[d];
        }
        for (int64_t d = 0; d < h->head_dim; ++d) p.o[d] = p.visible ? (float)(sum[d] / weight) : 0;
    }
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
