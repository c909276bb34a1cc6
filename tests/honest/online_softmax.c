// SPDX-License-Identifier: Apache-2.0
//
// Style: one pass over the keys; earlier sums are scaled when a larger score comes.
#include "honest.h"

static int launch(struct honest *h) {
    for (int64_t i = 0; i < honest_rows(h); ++i) {
        const struct honest_place p = honest_place_of(h, i);
        double sum[HONEST_DIM_MAX] = {0}, weight = 0, max = -INFINITY;
        for (int64_t j = 0; j < p.visible; ++j) {
            const float *v = honest_value(h, &p, j);
            const double score = honest_score(h, p.q, honest_key(h, &p, j));
            if (score > max) {
                const double scale = exp(max - score);
                max = score;
                weight *= scale;
                for (int64_t d = 0; d < h->head_dim; ++d) sum[d] *= scale;
            }
            const double e = exp(score - max);
            weight += e;
            for (int64_t d = 0; d < h->head_dim; ++d) sum[d] += e * v[d];
        }
        for (int64_t d = 0; d < h->head_dim; ++d) p.o[d] = p.visible ? (float)(sum[d] / weight) : 0;
    }
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
