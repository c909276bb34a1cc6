// SPDX-License-Identifier: Apache-2.0
//
// Keys in parts, each with a maximum and sums of its own, merged at the end.
#ifndef HONEST_SPLIT_KEYS_H
#define HONEST_SPLIT_KEYS_H

#include "honest.h"

struct part {
    double max, weight, sum[HONEST_DIM_MAX];
};

// Merges b into a.
static inline void part_merge(struct part *a, const struct part *b, int64_t dim) {
    if (b->weight == 0) return;
    const double max = a->weight == 0 || b->max > a->max ? b->max : a->max;
    const double of_a = a->weight == 0 ? 0 : exp(a->max - max), of_b = exp(b->max - max);
    a->max = max;
    a->weight = a->weight * of_a + b->weight * of_b;
    for (int64_t d = 0; d < dim; ++d) a->sum[d] = a->sum[d] * of_a + b->sum[d] * of_b;
}

static inline void part_of(const struct honest *h, const struct honest_place *p, int64_t begin, int64_t end,
                           struct part *ret) {
    double score[HONEST_KEYS_MAX];
    *ret = (struct part){.max = -INFINITY};
    for (int64_t j = begin; j < end; ++j) {
        score[j] = honest_score(h, p->q, honest_key(h, p, j));
        if (score[j] > ret->max) ret->max = score[j];
    }
    for (int64_t j = begin; j < end; ++j) {
        const double e = exp(score[j] - ret->max);
        ret->weight += e;
        for (int64_t d = 0; d < h->head_dim; ++d) ret->sum[d] += e * honest_value(h, p, j)[d];
    }
}

// The first part has `first` keys, all others `step`.
static inline void split_row(const struct honest *h, int64_t index, int64_t first, int64_t step) {
    const struct honest_place p = honest_place_of(h, index);
    struct part all = {.max = -INFINITY}, one;
    for (int64_t begin = 0, end = first; begin < p.visible; begin = end, end += step) {
        part_of(h, &p, begin, end < p.visible ? end : p.visible, &one);
        part_merge(&all, &one, h->head_dim);
    }
    for (int64_t d = 0; d < h->head_dim; ++d) p.o[d] = p.visible ? (float)(all.sum[d] / all.weight) : 0;
}

#endif
