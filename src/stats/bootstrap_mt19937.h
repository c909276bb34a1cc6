// SPDX-License-Identifier: Apache-2.0
//
// The bootstrap interval of a median from literal resamples, as NumPy's RandomState(seed) draws them. Bit
// for bit: MT19937 seeded by one word, indices by masked rejection as in RandomState.randint(0, n,
// (resamples, n)), row by row; the interval is np.percentile(medians, [2.5, 97.5]). bootstrap.h computes
// the same interval without resampling noise.
#ifndef STATS_BOOTSTRAP_MT19937_H
#define STATS_BOOTSTRAP_MT19937_H

#include <stddef.h>
#include <stdint.h>

#include "stats/interval.h"

#define BOOTSTRAP_RESAMPLE_COUNT 10000u

struct mt19937 {
    uint32_t key[624];
    unsigned used; // words of key already given out
};

void mt19937_init(struct mt19937 *mt, uint32_t seed);
uint32_t mt19937_next(struct mt19937 *mt);

// Uniform in [0, bound), bound >= 1, by masked rejection; bound = 1 draws nothing.
uint32_t mt19937_below(struct mt19937 *mt, uint32_t bound);

// Where indices come from: below(context, bound) gives the next one in [0, bound).
struct bootstrap_source {
    uint32_t (*below)(void *context, uint32_t bound);
    void *context;
};

// 95 % confidence interval (percentile) of the median from literal resamples. x in any order, but the order
// matters to the stream; finite, 1 <= n < 2^32; resamples >= 1. O(resamples n). -EINVAL, -ENOMEM.
int bootstrap_resample_interval(const double *x, size_t n, uint32_t resample_count,
                                struct bootstrap_source source, struct interval *out);

// The same with BOOTSTRAP_RESAMPLE_COUNT resamples from a fresh MT19937 of that seed (42 is the custom).
int bootstrap_mt19937_interval(const double *x, size_t n, uint32_t seed, struct interval *out);

#endif
