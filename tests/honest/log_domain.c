// SPDX-License-Identifier: Apache-2.0
//
// Style: the log-sum-exp of a row first, then weights that are normalized already.
#include "honest.h"

static int launch(struct honest *h) {
    for (int64_t i = 0; i < honest_rows(h); ++i) {
        const struct honest_place p = honest_place_of(h, i);
        double score[HONEST_KEYS_MAX], sum[HONEST_DIM_MAX] = {0}, weight = 0, max = -INFINITY;
        for (int64_t j = 0; j < p.visible; ++j) {
            score[j] = honest_score(h, p.q, honest_key(h, &p, j));
            if (score[j] > max) max = score[j];
        }
        for (int64_t j = 0; j < p.visible; ++j) weight += exp(score[j] - max);
        const double log_sum = max + log(weight);
        for (int64_t j = 0; j < p.visible; ++j) {
            const double share = exp(score[j] - log_sum);
            for (int64_t d = 0; d < h->head_dim; ++d) sum[d] += share * honest_value(h, &p, j)[d];
        }
        for (int64_t d = 0; d < h->head_dim; ++d) p.o[d] = (float)sum[d];
    }
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
