// SPDX-License-Identifier: Apache-2.0
//
// Hodges-Lehmann estimates: by how much two sets of times differ, and where one set of differences centres,
// whatever their distribution. Two sets: the median of all differences candidate - baseline, with the
// normal approximation's limits; on logarithms this is a ratio. One set: the median of Walsh averages (x(i)
// + x(j)) / 2, i <= j, with Wilcoxon's exact limits. Every figure is an exact order statistic, found
// without listing the pairs.
#ifndef STATS_HODGES_LEHMANN_H
#define STATS_HODGES_LEHMANN_H

#include <stddef.h>
#include <stdint.h>

#include "stats/interval.h"

// Up to this many values the signed rank distribution is exact (a few ms at the limit); above, normal.
#define WILCOXON_EXACT_MAX 200

struct hodges_lehmann {
    double estimate;        // positive: the candidate is larger, that is slower
    struct interval limits; // k-th smallest and k-th largest
    uint64_t k;             // 1 or more
};

// Differences candidate - baseline of ascending finite sets, counts in [1, 2^31); level in (0, 1), say 0.95.
// k = max(1, floor(nm/2 - z sqrt(nm(n+m+1)/12))). Time O((n + m) 64), allocates nothing. -EINVAL.
int hodges_lehmann_shift(const double *base, size_t base_count, const double *cand, size_t cand_count,
                         double level, struct hodges_lehmann *out);

// The same on natural logarithms: exp(estimate) is the ratio of times. Values ascending and positive.
// -EINVAL, -ENOMEM.
int hodges_lehmann_log_ratio(const double *base, size_t base_count, const double *cand, size_t cand_count,
                             double level, struct hodges_lehmann *out);

// Median of the n(n+1)/2 Walsh averages of ascending finite values, and Wilcoxon's interval [W(k),
// W(n(n+1)/2+1-k)] at that level; k = 0 and NaN limits when n is too small for it (n < 6 at 0.95). -EINVAL,
// -ENOMEM.
int hodges_lehmann_walsh(const double *sorted, size_t n, double level, struct hodges_lehmann *out);

// The largest k with P(W+ <= k - 1) <= (1 - level) / 2 for the signed rank statistic of n values; 0: none.
// -EINVAL, -ENOMEM.
int wilcoxon_limit_rank(size_t n, double level, uint64_t *k);

#endif
