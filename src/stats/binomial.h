// SPDX-License-Identifier: Apache-2.0
// How likely is it that at least m of n draws succeed?
// Behind every exact statement on order statistics. Summed outwards from the mode with positive terms and
// normalised by their sum, so that there is no log-gamma to lose digits in: relative error near 1e-14 for n
// up to 1e6.
#ifndef ASSAY_STATS_BINOMIAL_H
#define ASSAY_STATS_BINOMIAL_H

#include <stddef.h>

struct binomial_tail {
    double at;       // P(X = m)
    double at_least; // P(X >= m)
    double below;    // P(X < m)
};

// X ~ Bin(n, p), p in [0, 1]. Probabilities under about 1e-30 come back as 0. Time O(min(n, 12 sqrt(n))).
struct binomial_tail binomial_tail(size_t n, double p, size_t m);

#endif
