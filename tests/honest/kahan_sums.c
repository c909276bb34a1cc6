// SPDX-License-Identifier: Apache-2.0
//
// Style: single precision with Kahan's compensated sums.
#include "honest.h"

struct kahan {
    float sum, lost;
};

static void add(struct kahan *k, float x) {
    const float y = x - k->lost, t = k->sum + y;
    k->lost = isfinite(t) ? (t - k->sum) - y : 0;
    k->sum = t;
}

static int launch(struct honest *h) {
    for (int64_t i = 0; i < honest_rows(h); ++i) {
        const struct honest_place p = honest_place_of(h, i);
        float score[HONEST_KEYS_MAX], max = -INFINITY;
        struct kahan sum[HONEST_DIM_MAX] = {{0, 0}}, weight = {0, 0};
        for (int64_t j = 0; j < p.visible; ++j) {
            const float *k = honest_key(h, &p, j);
            struct kahan s = {0, 0};
            for (int64_t d = 0; d < h->head_dim; ++d) add(&s, p.q[d] * k[d]);
            score[j] = s.sum * (float)h->scale;
            if (score[j] > max) max = score[j];
        }
        for (int64_t j = 0; j < p.visible; ++j) {
            const float *v = honest_value(h, &p, j), e = expf(score[j] - max);
            add(&weight, e);
            for (int64_t d = 0; d < h->head_dim; ++d) add(&sum[d], e * v[d]);
        }
        for (int64_t d = 0; d < h->head_dim; ++d) p.o[d] = p.visible ? sum[d].sum / weight.sum : 0;
    }
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
