// SPDX-License-Identifier: Apache-2.0
//
// Style: reads back what it wrote: sums go to the output first, and are divided there at the end.
#include "honest.h"

static int launch(struct honest *h) {
    for (int64_t i = 0; i < honest_rows(h); ++i) {
        const struct honest_place p = honest_place_of(h, i);
        double e[HONEST_KEYS_MAX], weight = 0, max = -INFINITY;
        for (int64_t j = 0; j < p.visible; ++j) {
            e[j] = honest_score(h, p.q, honest_key(h, &p, j));
            if (e[j] > max) max = e[j];
        }
        for (int64_t j = 0; j < p.visible; ++j) weight += e[j] = exp(e[j] - max);
        for (int64_t d = 0; d < h->head_dim; ++d) {
            double sum = 0;
            for (int64_t j = 0; j < p.visible; ++j) sum += e[j] * honest_value(h, &p, j)[d];
            p.o[d] = (float)sum;
        }
        for (int64_t d = 0; d < h->head_dim && p.visible; ++d) p.o[d] = (float)(p.o[d] / weight);
    }
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
