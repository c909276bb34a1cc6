// SPDX-License-Identifier: Apache-2.0
//
// Binomial tails, and the exact upper bound of a rate; all exact limits on order statistics use them.
// Terms are summed outwards from the mode and normalised by their sum, which avoids the digits that
// log-gamma would lose: relative error near 1e-14 for n up to 1e6.
#ifndef STATS_BINOMIAL_H
#define STATS_BINOMIAL_H

#include <stddef.h>

struct binomial_tail {
    double at;       // P(X = m)
    double at_least; // P(X >= m)
    double below;    // P(X < m)
};

// X ~ Bin(n, p), p in [0, 1]. Probabilities under about 1e-30 come back as 0. Time O(min(n, 12 sqrt(n))).
struct binomial_tail binomial_tail(size_t n, double p, size_t m);

// Exact one-sided upper confidence bound of a rate after k events in n draws (Clopper and Pearson 1934):
// the largest p for which P(X <= k) is still 1 - level. 0 of 300 at 0.95 gives 0.00994. 1 for n = 0 or k
// >= n; NaN for level outside (0, 1).
double binomial_upper_bound(size_t n, size_t k, double level);

#endif
