// SPDX-License-Identifier: Apache-2.0
//
// The bootstrap confidence interval of a median without resampling noise (bootstrap_ratio.h: of a ratio of
// two). The bootstrap distribution of the median has a closed form; its 2.5 % and 97.5 % quantiles (lower =
// inf{t: F(t) >= 0.025}, upper = inf{t: F(t) >= 0.975}) need no seed and no resampling. bootstrap_mt19937.h
// draws resamples, to match the figures of other tools.
#ifndef STATS_BOOTSTRAP_H
#define STATS_BOOTSTRAP_H

#include <stddef.h>

#include "stats/interval.h"

#define BOOTSTRAP_LOWER_QUANTILE 0.025
#define BOOTSTRAP_UPPER_QUANTILE 0.975

// ((n-j)/(n-i))^m <= exp(-(j-i)/2), so that ranks further apart than this cannot reach BOOTSTRAP_SHARE_FLOOR.
#define BOOTSTRAP_REACH 84
// Neighbouring ranks around a quantile.
#define BOOTSTRAP_WINDOWS 4

// Everything about the ranks around `top` that the distribution function needs while x(top) <= t < x(top +
// 1), of n values, whichever they are. Logarithms are worked out as far as they are needed.
struct bootstrap_window {
    size_t n;
    size_t top;
    double top_cdf;                        // P(N(top) >= m)
    size_t below_count, above_count;       // of the entries below
    double at_m;                           // P(N(i) = m) of the next i below
    double weight[BOOTSTRAP_REACH + 1];    // v(top - k)
    double log_below[BOOTSTRAP_REACH + 1]; // m ln((n-i)/(n-top)) at i = top - k
    double log_above[BOOTSTRAP_REACH + 1]; // m ln((n-j)/(n-top)) at j = top + k
};

struct bootstrap_quantile {
    size_t n;    // 0: nothing yet
    size_t rank; // the quantile's, or one or two below it
    struct bootstrap_window windows[BOOTSTRAP_WINDOWS];
};

// Kept between calls, so that many sets with the same number of samples work it out once. Starts as zeros;
// holds no samples, and nothing to free.
struct bootstrap_median_memory {
    struct bootstrap_quantile lower, upper;
};

// 95 % confidence interval of the median of n ascending values. Odd n: both ends are samples; even n:
// midpoints of two samples, found exactly. Allocates nothing; O(sqrt(n) log n) plus the check of the input.
// memory NULL: nothing is kept. -EINVAL: n = 0, not ascending, not finite.
int bootstrap_median_interval(const double *sorted, size_t n, struct bootstrap_median_memory *memory,
                              struct interval *out);

// P(median of a resample <= t).
double bootstrap_median_cdf(const double *sorted, size_t n, double t);

#endif
