// SPDX-License-Identifier: Apache-2.0
//
// Style: adds the keys of a row in the order of their weights, the smallest first, so that its time and the
// order of its sums depend on the inputs.
#include "honest.h"

struct entry {
    double weight;
    int64_t key;
};

static int by_weight(const void *a, const void *b) {
    const struct entry *x = (const struct entry *)a, *y = (const struct entry *)b;
    if (x->weight != y->weight) return x->weight < y->weight ? -1 : 1;
    return x->key < y->key ? -1 : x->key > y->key;
}

static int launch(struct honest *h) {
    static struct entry entries[HONEST_KEYS_MAX];
    for (int64_t i = 0; i < honest_rows(h); ++i) {
        const struct honest_place p = honest_place_of(h, i);
        double sum[HONEST_DIM_MAX] = {0}, weight = 0, max = -INFINITY;
        for (int64_t j = 0; j < p.visible; ++j) {
            entries[j].weight = honest_score(h, p.q, honest_key(h, &p, j));
            entries[j].key = j;
            if (entries[j].weight > max) max = entries[j].weight;
        }
        for (int64_t j = 0; j < p.visible; ++j) entries[j].weight = exp(entries[j].weight - max);
        qsort(entries, (size_t)p.visible, sizeof *entries, by_weight);
        for (int64_t j = 0; j < p.visible; ++j) {
            const float *v = honest_value(h, &p, entries[j].key);
            weight += entries[j].weight;
            for (int64_t d = 0; d < h->head_dim; ++d) sum[d] += entries[j].weight * v[d];
        }
        for (int64_t d = 0; d < h->head_dim; ++d) p.o[d] = p.visible ? (float)(sum[d] / weight) : 0;
    }
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
