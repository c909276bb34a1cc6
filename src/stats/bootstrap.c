// SPDX-License-Identifier: Apache-2.0
//
// The percentile bootstrap of the median, exactly. Let N(i) be how many of n draws (with replacement) fall
// on x(1..i): N(i) ~ Bin(n, i/n), and the m-th smallest draw is at most x(i) exactly when N(i) >= m, m =
// floor((n+1)/2). That settles odd n. For even n the median is the midpoint of the m-th and (m+1)-th draw;
// the m-th is x(i) and the next one beyond x(j) with probability
//   v(i) ((n-j)/(n-i))^m,  v(i) = P(Bin(n, i/n) = m) (1 - ((i-1)/i)^m),  i <= j,
// since then m draws are at most x(i), at least one of them equals x(i), and the other m draws are beyond
// x(j). Every factor is in [0, 1], nothing overflows at any n, and the powers die out a few dozen ranks
// from i.
#include "stats/bootstrap.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>

#include "stats/binomial.h"
#include "stats/bootstrap_internal.h"
#include "stats/float_order.h"

// ((n-j)/(n-i))^m <= exp(-(j-i)/2), so that ranks further apart than this cannot reach BOOTSTRAP_SHARE_FLOOR.
#define REACH 84
// Midpoints that are sorted to find one of them.
#define MIDPOINTS_MAX 256

size_t bootstrap_middle_rank(size_t n) {
    return (n + 1) / 2;
}

struct binomial_tail bootstrap_draws_up_to(size_t n, size_t i) {
    return binomial_tail(n, (double)i / (double)n, bootstrap_middle_rank(n));
}

double bootstrap_pair_weight(size_t n, size_t i, double at_m) {
    return i == 1 ? at_m : at_m * -expm1((double)bootstrap_middle_rank(n) * log1p(-1.0 / (double)i));
}

// Everything about the ranks around `top` that the distribution function needs while x(top) <= t < x(top +
// 1). Logarithms are worked out as far as they are needed.
struct window {
    const double *sorted;
    size_t n;
    size_t top;
    double top_cdf;                  // P(N(top) >= m)
    size_t below_count, above_count; // of the entries below
    double at_m;                     // P(N(i) = m) of the next i below
    double weight[REACH + 1];        // v(top - k)
    double log_below[REACH + 1];     // m ln((n-i)/(n-top)) at i = top - k
    double log_above[REACH + 1];     // m ln((n-j)/(n-top)) at j = top + k
};

static void window_init(struct window *w, const double *sorted, size_t n, size_t top) {
    struct binomial_tail at_top = bootstrap_draws_up_to(n, top);

    w->sorted = sorted;
    w->n = n;
    w->top = top;
    w->top_cdf = at_top.at_least;
    w->below_count = w->above_count = 0;
    w->at_m = at_top.at;
}

static void window_add_below(struct window *w) {
    size_t k = w->below_count++;
    size_t i = w->top - k;
    double m = (double)bootstrap_middle_rank(w->n);

    w->weight[k] = bootstrap_pair_weight(w->n, i, w->at_m);
    w->log_below[k] = m * log1p((double)k / (double)(w->n - w->top));
    // From P(N(i) = m) to P(N(i-1) = m).
    if (i > 1) w->at_m *= exp(m * (log1p(-1.0 / (double)i) + log1p(1.0 / (double)(w->n - i))));
}

static void window_add_above(struct window *w) {
    size_t k = w->above_count++;

    w->log_above[k] = (double)bootstrap_middle_rank(w->n) * log1p(-(double)k / (double)(w->n - w->top));
}

// P(median of a resample <= t) for x(top) <= t < x(top + 1): P(m-th draw <= t), less the sum of v(i)
// ((n-J)/(n-i))^m over i <= top, J(i) being the last rank whose midpoint with x(i) is at most t. J rises
// while i falls.
static double window_cdf(struct window *w, double t) {
    double sum = 0.0;
    size_t up = 0; // J(i) - top

    if (w->n % 2 == 1 || w->top == w->n) return w->top_cdf;
    for (size_t k = 0; k < w->top && k <= REACH; ++k) {
        double x = w->sorted[w->top - k - 1];

        while (up < w->n - w->top && 0.5 * (x + w->sorted[w->top + up]) <= t) ++up;
        if (up > REACH) break;
        if (k >= w->below_count) window_add_below(w);
        while (up >= w->above_count) window_add_above(w);
        double share = exp(w->log_above[up] - w->log_below[k]);
        if (share < BOOTSTRAP_SHARE_FLOOR) break;
        sum += w->weight[k] * share;
    }
    return w->top_cdf - sum;
}

// The midpoints above lo and at most hi, lo and hi between x(top) and x(top + 1): where the distribution
// function has its steps. Unordered. Returns how many there are, if more than MIDPOINTS_MAX some of them.
static size_t window_midpoints(const struct window *w, double lo, double hi, double *ret) {
    size_t first = 0;
    size_t count = 0;

    for (size_t k = 0; k < w->top && k <= REACH; ++k) {
        double x = w->sorted[w->top - k - 1];

        while (first < w->n - w->top && 0.5 * (x + w->sorted[w->top + first]) <= lo) ++first;
        for (size_t up = first; up < w->n - w->top && up <= REACH; ++up) {
            double midpoint = 0.5 * (x + w->sorted[w->top + up]);

            if (midpoint > hi) break;
            if (count == MIDPOINTS_MAX) return count + 1;
            ret[count++] = midpoint;
        }
    }
    return count;
}

// The first value in (lo, hi] at which the function reaches p, as it does at hi and does not at lo.
static double window_quantile(struct window *w, int64_t lo, int64_t hi, double p) {
    double midpoints[MIDPOINTS_MAX];

    while (float_order_has_between(lo, hi)) {
        size_t count = window_midpoints(w, float_order_value(lo), float_order_value(hi), midpoints);

        if (count <= MIDPOINTS_MAX) {
            size_t first = 0; // all before are below p
            size_t end = count;

            float_order_sort(midpoints, count);
            while (first < end) {
                size_t mid = first + (end - first) / 2;

                if (window_cdf(w, midpoints[mid]) >= p)
                    end = mid;
                else
                    first = mid + 1;
            }
            return first < count ? midpoints[first] : float_order_value(hi);
        }
        int64_t mid = float_order_mid(lo, hi);
        if (window_cdf(w, float_order_value(mid)) >= p)
            hi = mid;
        else
            lo = mid;
    }
    return float_order_value(hi);
}

double bootstrap_median_cdf(const double *sorted, size_t n, double t) {
    struct window w;

    if (n == 0 || isnan(t)) return NAN;
    size_t top = 0; // how many of the values are at most t
    size_t hi = n;
    while (top < hi) {
        size_t mid = top + (hi - top) / 2;

        if (sorted[mid] <= t)
            top = mid + 1;
        else
            hi = mid;
    }
    if (top == 0) return 0.0;
    window_init(&w, sorted, n, top);
    return window_cdf(&w, t);
}

// inf{t: F(t) >= p}.
static double median_quantile(const double *sorted, size_t n, double p) {
    size_t before = 0; // rank: the smallest i whose P(N(i) >= m) reaches p; for odd n that is the answer
    size_t rank = n;
    struct window w;

    while (rank - before > 1) {
        size_t mid = before + (rank - before) / 2;

        if (bootstrap_draws_up_to(n, mid).at_least >= p)
            rank = mid;
        else
            before = mid;
    }
    if (n % 2 == 1) return sorted[rank - 1];
    // F(x(rank)) is below P(N(rank) >= m): it lacks the resamples whose m-th draw is at most x(rank) but
    // whose midpoint lies above it. That moves the rank by one or two at most.
    while (rank < n && bootstrap_median_cdf(sorted, n, sorted[rank - 1]) < p) ++rank;
    double at = sorted[rank - 1];
    size_t below = rank - 1;
    while (below > 0 && sorted[below - 1] == at) --below;
    if (below == 0) return at;
    // F(x(below)) < p <= F(at), and the window stays the same in between.
    window_init(&w, sorted, n, below);
    return window_quantile(&w, float_order_key(sorted[below - 1]), float_order_key(at), p);
}

int bootstrap_median_interval(const double *sorted, size_t n, struct interval *out) {
    if (n == 0 || !float_order_is_sorted(sorted, n)) return -EINVAL;
    out->lo = median_quantile(sorted, n, BOOTSTRAP_LOWER_QUANTILE);
    out->hi = median_quantile(sorted, n, BOOTSTRAP_UPPER_QUANTILE);
    return 0;
}
