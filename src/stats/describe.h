// SPDX-License-Identifier: Apache-2.0
//
// Descriptive statistics of one set of samples: location, spread, percentiles, drift and correlation over
// time, one mode or two. Conventions are NumPy's: percentiles linear at p(n-1), sd with n - 1, sums
// pairwise in the same order (bit for bit the same mean). Confidence by resampling is bootstrap.h's;
// comparing two sets is rank.h's and hodges_lehmann.h's. Everywhere in stats/: functions returning int give
// 0, -EINVAL (a bad argument, a NaN, an infinity) or -ENOMEM, and leave their outputs alone when they fail.
// "Undefined" figures are NaN, never 0.
#ifndef STATS_DESCRIBE_H
#define STATS_DESCRIBE_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/interval.h"

// Standard deviation of the median of n normal values over sd / sqrt(n), for large n: sqrt(pi / 2).
// Kenney and Keeping, Mathematics of Statistics.
#define DESCRIBE_MEDIAN_SD_RATIO 1.2533141373155003

struct describe {
    size_t n;
    double mean;
    double sd;     // n - 1; NaN for n = 1
    double cv_pct; // 100 sd / mean; NaN where sd is, or where the mean is 0
    double median;
    double min;
    double max;
    double p95;
    double p99;
    double mad;             // median of |x - median|, not scaled to sd
    double acf1;            // lag-1 autocorrelation in time order; NaN for n < 3 or when all values are equal
    double effective_count; // n (1 - acf1) / (1 + acf1), held to [1, n]; n where acf1 is undefined
    double drift_rho;       // Spearman's rank correlation of value with time; NaN where acf1 is
    double drift_p;         // two-sided p of drift_rho by Student t on n - 2; NaN where drift_rho is
    // Modes: 2 when the widest gap between neighbours with over 10 % of the samples on each side exceeds five
    // median gaps and twice the MAD on either side; else 1. One normal mode counts as two in 7 % of sets of
    // 20, 0.02 % of 50; two normal modes 8 sd apart are found in 97 % and 99.7 %. Also 2 when two values more
    // than 0.5 % apart are over 90 % of 10 or more samples, each over 10 %; three or more equal values evenly
    // spaced are the ticks of a clock. The split is NaN with one mode.
    unsigned mode_count;
    double mode_split;       // middle of the gap
    double mode_upper_ratio; // share of samples above it
    // that widest gap over the median gap above 0, with one mode too; infinite for two values, NaN for n < 3
    double mode_gap_ratio;
};

// x: n samples in time order, all finite, n >= 1. sorted: room for n, receives them ascending for the
// functions below that need them so. -EINVAL, -ENOMEM. Time O(n log n).
int describe_samples(const double *x, size_t n, double *sorted, struct describe *out);

// Mean as NumPy computes it; NaN for n = 0.
double describe_mean(const double *x, size_t n);

// Standard deviation with n - 1 around the mean given; NaN for n < 2.
double describe_sd(const double *x, size_t n, double mean);

// Median of ascending values: the middle one, or the midpoint of the two in the middle. NaN for n = 0.
double describe_median(const double *sorted, size_t n);

// Median of values in any order; sorts them in place.
double describe_unsorted_median(double *values, size_t n);

// Percentile p in [0, 1] of ascending values by linear interpolation at p (n - 1). NaN for n = 0 or p
// outside.
double describe_percentile(const double *sorted, size_t n, double p);

// The same of values in any order; sorts them in place.
double describe_unsorted_percentile(double *values, size_t n, double p);

// Relative change of time in per cent, 100 (cand - base) / base: positive means that the candidate is slower.
double describe_change_pct(double base_median, double cand_median);

// base / cand: above 1 means that the candidate is faster.
double describe_speedup_ratio(double base_median, double cand_median);

// Distribution-free confidence interval of the median between two order statistics, x(rank_lo) and
// x(rank_hi), ranks from 1.
struct order_interval {
    size_t rank_lo;
    size_t rank_hi;
    double coverage; // the exact one, >= the level asked for
    struct interval at;
};

// The narrowest symmetric pair of ranks that covers the median with at least `level` (0.95). False, and out
// untouched, when even the extremes do not (n < 6 at 0.95) or an argument is invalid.
bool describe_order_interval(const double *sorted, size_t n, double level, struct order_interval *out);

// One-sided upper confidence limit of percentile p: the smallest x(k) that lies above it with at least
// `level`. False, and bound untouched, when n is too small for a bound: at 0.95 that is n < 59 for P95 and n
// < 299 for P99.
bool describe_percentile_bound(const double *sorted, size_t n, double p, double level, double *bound);

// The fewest samples for which describe_percentile_bound has an answer; 0 for arguments outside (0, 1).
size_t describe_percentile_bound_count(double p, double level);

#endif
