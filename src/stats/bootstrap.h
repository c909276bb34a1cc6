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

// 95 % confidence interval of the median of n ascending values. Odd n: both ends are samples; even n:
// midpoints of two samples, found exactly. Allocates nothing; O(sqrt(n) log n) plus the check of the input.
// -EINVAL: n = 0, not ascending, not finite.
int bootstrap_median_interval(const double *sorted, size_t n, struct interval *out);

// P(median of a resample <= t).
double bootstrap_median_cdf(const double *sorted, size_t n, double t);

#endif
