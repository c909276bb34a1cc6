// SPDX-License-Identifier: Apache-2.0
//
// Style: leaves out keys whose weight is zero and whose values are finite, so that its time depends on
// the inputs.
#include "honest.h"

static int is_finite(const float *v, int64_t n) {
    for (int64_t d = 0; d < n; ++d)
        if (!isfinite(v[d])) return 0;
    return 1;
}

static int launch(struct honest *h) {
    for (int64_t i = 0; i < honest_rows(h); ++i) {
        const struct honest_place p = honest_place_of(h, i);
        double score[HONEST_KEYS_MAX], sum[HONEST_DIM_MAX] = {0}, weight = 0, max = -INFINITY;
        for (int64_t j = 0; j < p.visible; ++j) {
            score[j] = honest_score(h, p.q, honest_key(h, &p, j));
            if (score[j] > max) max = score[j];
        }
        for (int64_t j = 0; j < p.visible; ++j) {
            const float *v = honest_value(h, &p, j);
            const double e = exp(score[j] - max);
            if (e == 0 && is_finite(v, h->head_dim)) continue;
            weight += e;
            for (int64_t d = 0; d < h->head_dim; ++d) sum[d] += e * v[d];
        }
        for (int64_t d = 0; d < h->head_dim; ++d) p.o[d] = p.visible ? (float)(sum[d] / weight) : 0;
    }
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
