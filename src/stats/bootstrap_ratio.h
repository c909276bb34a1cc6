// SPDX-License-Identifier: Apache-2.0
//
// The bootstrap confidence interval of the ratio of two medians, exactly, as bootstrap.h has that of one.
#ifndef STATS_BOOTSTRAP_RATIO_H
#define STATS_BOOTSTRAP_RATIO_H

#include <stddef.h>

#include "stats/interval.h"

struct bootstrap_rank_pair;

// The possible medians of a resample as ranks, with their probabilities. They follow from the count alone.
struct bootstrap_ranks {
    size_t n;
    struct bootstrap_rank_pair *items;
    size_t count, room;
};

// Kept between calls, so that many problems with the same number of samples work them out once. Starts as
// zeros; holds no samples. Free with bootstrap_ratio_free.
struct bootstrap_ratio_memory {
    struct bootstrap_ranks base, cand;
};
void bootstrap_ratio_free(struct bootstrap_ratio_memory *memory);

// 95 % confidence interval of median(cand*) / median(base*), both resampled on their own; above 1: the
// candidate is slower. Values are ascending and positive. Support points lighter than 1e-15 are left out.
// memory NULL: nothing is kept. -EINVAL, -ENOMEM.
int bootstrap_ratio_interval(const double *base, size_t base_count, const double *cand, size_t cand_count,
                             struct bootstrap_ratio_memory *memory, struct interval *out);

#endif
