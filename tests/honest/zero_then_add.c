// SPDX-License-Identifier: Apache-2.0
//
// Style: zeroes its output, and then adds to it in place, key by key.
#include "honest.h"

static int launch(struct honest *h) {
    for (int64_t i = 0; i < honest_rows(h); ++i)
        memset(honest_place_of(h, i).o, 0, (size_t)h->head_dim * sizeof(float));
    for (int64_t i = 0; i < honest_rows(h); ++i) {
        const struct honest_place p = honest_place_of(h, i);
        double e[HONEST_KEYS_MAX], weight = 0, max = -INFINITY;
        for (int64_t j = 0; j < p.visible; ++j) {
            e[j] = honest_score(h, p.q, honest_key(h, &p, j));
            if (e[j] > max) max = e[j];
        }
        for (int64_t j = 0; j < p.visible; ++j) weight += e[j] = exp(e[j] - max);
        for (int64_t j = 0; j < p.visible; ++j) {
            const float *v = honest_value(h, &p, j);
            for (int64_t d = 0; d < h->head_dim; ++d) p.o[d] += (float)(e[j] / weight) * v[d];
        }
    }
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
