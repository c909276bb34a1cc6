// SPDX-License-Identifier: Apache-2.0
//
// Binomial tails and bounds. The ratio of neighbouring probabilities is rational, so the terms follow from
// the one at the mode.
#include "stats/binomial.h"

#include <math.h>

// Terms below this share of the mode's are dropped; what is lost stays under 1e-30 of the total.
#define TERM_FLOOR 1e-34

struct sums {
    double at;
    double at_least;
    double below;
};

static void sums_add(struct sums *s, double term, size_t x, size_t m) {
    if (x >= m)
        s->at_least += term;
    else
        s->below += term;
    if (x == m) s->at = term;
}

struct binomial_tail binomial_tail(size_t n, double p, size_t m) {
    struct sums s = {0.0, 0.0, 0.0};
    double nd = (double)n;

    if (!(p > 0.0)) {
        sums_add(&s, 1.0, 0, m);
    } else if (!(p < 1.0)) {
        sums_add(&s, 1.0, n, m);
    } else {
        double odds = p / (1.0 - p);
        size_t mode = (size_t)((nd + 1.0) * p);

        if (mode > n) mode = n;
        sums_add(&s, 1.0, mode, m);
        double term = 1.0;
        for (size_t x = mode; x < n && term > TERM_FLOOR; ++x) {
            term *= (nd - (double)x) / ((double)x + 1.0) * odds;
            sums_add(&s, term, x + 1, m);
        }
        term = 1.0;
        for (size_t x = mode; x > 0 && term > TERM_FLOOR; --x) {
            term *= (double)x / ((nd - (double)x + 1.0) * odds);
            sums_add(&s, term, x - 1, m);
        }
    }
    double total = s.at_least + s.below;
    return (struct binomial_tail){
        .at = s.at / total, .at_least = s.at_least / total, .below = s.below / total};
}

double binomial_upper_bound(size_t n, size_t k, double level) {
    if (!(level > 0.0 && level < 1.0)) return NAN;
    if (k >= n) return 1.0;
    double low = 0.0, high = 1.0;
    // P(X <= k) falls as p rises: bisect down to neighbouring doubles.
    for (;;) {
        double middle = 0.5 * (low + high);
        if (middle <= low || middle >= high) return high;
        if (binomial_tail(n, middle, k + 1).below > 1.0 - level)
            low = middle;
        else
            high = middle;
    }
}
