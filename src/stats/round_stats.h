// SPDX-License-Identifier: Apache-2.0
//
// Statistics of R process rounds: tests and intervals for the ratio of two times. Each round gives d_r =
// ln(median candidate / median baseline); rounds are independent, so Student's t on R - 1 degrees holds
// for their mean, while a percentile bootstrap is not valid at R = 5. Positive is slower. verdict/
// chooses level, margin and interim looks. holm_adjust is for the p-values of a whole suite.
#ifndef STATS_ROUND_STATS_H
#define STATS_ROUND_STATS_H

#include <stddef.h>

#include "stats/interval.h"

struct round_stats {
    size_t count; // R
    double mean;  // the estimate of the log ratio
    double sd;    // R - 1
    double se;    // sd / sqrt(R)
};

// A log ratio as a change in per cent: 100 (exp(log_ratio) - 1).
double log_to_pct(double log_ratio);

// d[R] finite, R >= 2. -EINVAL.
int round_stats_get(const double *d, size_t count, struct round_stats *out);

// Two-sided confidence interval mean -+ t se that leaves out alpha in all: 0.05 for 95 %, 0.0182 at a
// sequential look. Its upper end alone is a one-sided bound at alpha / 2. NaN ends for alpha outside (0,
// 1).
struct interval round_stats_interval(const struct round_stats *rs, double alpha);
double round_stats_half_width(const struct round_stats *rs, double alpha);

// All p below: with sd = 0 they are 0, 1/2 or 1 by the side on which the mean lies (two-sided: 0 or 1).

// Two-sided, H0: the true log ratio is 0.
double round_stats_p_two_sided(const struct round_stats *rs);

// One-sided, H0: the true log ratio >= margin. Small: no slowdown beyond the margin.
double round_stats_p_below(const struct round_stats *rs, double margin);

// One-sided, H0: the true log ratio <= margin. Small: a slowdown beyond the margin.
double round_stats_p_above(const struct round_stats *rs, double margin);

// Minimum detectable effect: the smallest log ratio that R rounds of this sd show to differ from 0, at
// two-sided alpha with that power (0.9). Exact noncentral t; NaN for arguments outside (0, 1).
double round_stats_detectable(const struct round_stats *rs, double alpha, double power);

// Holm's step-down adjustment of the p-values of one family of hypotheses: it bounds the probability of any
// false rejection. Adjusted values are at most 1 and are compared with alpha like a single p. p[n] in any
// order, each in [0, 1]; adjusted[n] has the same order and may be p itself. n = 0 is fine. -EINVAL: a p
// outside [0, 1] or NaN. -ENOMEM.
int holm_adjust(const double *p, size_t n, double *adjusted);

#endif
