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
#include <stdbool.h>
#include <stdint.h>

#include "stats/binomial.h"
#include "stats/bootstrap_internal.h"
#include "stats/float_order.h"

// Midpoints that are gathered to find one of them.
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

static void window_init(struct bootstrap_window *w, size_t n, size_t top) {
    struct binomial_tail at_top = bootstrap_draws_up_to(n, top);

    w->n = n;
    w->top = top;
    w->top_cdf = at_top.at_least;
    w->below_count = w->above_count = 0;
    w->at_m = at_top.at;
}

static void window_add_below(struct bootstrap_window *w) {
    size_t k = w->below_count++;
    size_t i = w->top - k;
    double m = (double)bootstrap_middle_rank(w->n);

    w->weight[k] = bootstrap_pair_weight(w->n, i, w->at_m);
    w->log_below[k] = m * log1p((double)k / (double)(w->n - w->top));
    // From P(N(i) = m) to P(N(i-1) = m).
    if (i > 1) w->at_m *= exp(m * (log1p(-1.0 / (double)i) + log1p(1.0 / (double)(w->n - i))));
}

static void window_add_above(struct bootstrap_window *w) {
    size_t k = w->above_count++;

    w->log_above[k] = (double)bootstrap_middle_rank(w->n) * log1p(-(double)k / (double)(w->n - w->top));
}

// P(median of a resample <= t) for x(top) <= t < x(top + 1): P(m-th draw <= t), less the sum of v(i)
// ((n-J)/(n-i))^m over i <= top, J(i) being the last rank whose midpoint with x(i) is at most t. J rises
// while i falls.
static double window_cdf(struct bootstrap_window *w, const double *sorted, double t) {
    double sum = 0.0;
    size_t up = 0; // J(i) - top

    if (w->n % 2 == 1 || w->top == w->n) return w->top_cdf;
    for (size_t k = 0; k < w->top && k <= BOOTSTRAP_REACH; ++k) {
        double x = sorted[w->top - k - 1];

        while (up < w->n - w->top && 0.5 * (x + sorted[w->top + up]) <= t) ++up;
        if (up > BOOTSTRAP_REACH) break;
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
static size_t window_midpoints(const struct bootstrap_window *w, const double *sorted, double lo, double hi,
                               double *ret) {
    size_t first = 0;
    size_t count = 0;

    for (size_t k = 0; k < w->top && k <= BOOTSTRAP_REACH; ++k) {
        double x = sorted[w->top - k - 1];

        while (first < w->n - w->top && 0.5 * (x + sorted[w->top + first]) <= lo) ++first;
        for (size_t up = first; up < w->n - w->top && up <= BOOTSTRAP_REACH; ++up) {
            double midpoint = 0.5 * (x + sorted[w->top + up]);

            if (midpoint > hi) break;
            if (count == MIDPOINTS_MAX) return count + 1;
            ret[count++] = midpoint;
        }
    }
    return count;
}

// The smallest of the midpoints at which the function reaches p; beyond, if it does so at none of them. Like
// quickselect: what a pivot rules out is dropped.
static double midpoints_select(struct bootstrap_window *w, const double *sorted, double *midpoints,
                               size_t count, double p, double beyond) {
    double found = beyond;

    while (count > 0) {
        double pivot = midpoints[count / 2];
        bool is_reached = window_cdf(w, sorted, pivot) >= p;
        size_t kept = 0;

        if (is_reached) found = pivot;
        for (size_t i = 0; i < count; ++i) {
            double midpoint = midpoints[i];

            midpoints[kept] = midpoint;
            kept += is_reached ? midpoint < pivot : midpoint > pivot;
        }
        count = kept;
    }
    return found;
}

// The first value in (lo, hi] at which the function reaches p, as it does at hi and does not at lo.
static double window_quantile(struct bootstrap_window *w, const double *sorted, int64_t lo, int64_t hi,
                              double p) {
    double midpoints[MIDPOINTS_MAX];

    while (float_order_has_between(lo, hi)) {
        size_t count = window_midpoints(w, sorted, float_order_value(lo), float_order_value(hi), midpoints);

        if (count <= MIDPOINTS_MAX)
            return midpoints_select(w, sorted, midpoints, count, p, float_order_value(hi));
        int64_t mid = float_order_mid(lo, hi);
        if (window_cdf(w, sorted, float_order_value(mid)) >= p)
            hi = mid;
        else
            lo = mid;
    }
    return float_order_value(hi);
}

// How many of the values are at most t.
static size_t values_up_to(const double *sorted, size_t n, double t) {
    size_t count = 0;
    size_t hi = n;

    while (count < hi) {
        size_t mid = count + (hi - count) / 2;

        if (sorted[mid] <= t)
            count = mid + 1;
        else
            hi = mid;
    }
    return count;
}

// For another n, starts anew. The rank is the smallest i whose P(N(i) >= m) reaches p.
static void quantile_begin(struct bootstrap_quantile *q, size_t n, double p) {
    size_t before = 0;
    size_t rank = n;

    if (q->n == n) return;
    while (rank - before > 1) {
        size_t mid = before + (rank - before) / 2;

        if (bootstrap_draws_up_to(n, mid).at_least >= p)
            rank = mid;
        else
            before = mid;
    }
    q->n = n;
    q->rank = rank;
}

static struct bootstrap_window *quantile_window(struct bootstrap_quantile *q, size_t top) {
    struct bootstrap_window *w = &q->windows[top % BOOTSTRAP_WINDOWS];

    if (w->n != q->n || w->top != top) window_init(w, q->n, top);
    return w;
}

// P(median of a resample <= t).
static double quantile_cdf(struct bootstrap_quantile *q, const double *sorted, double t) {
    size_t top = values_up_to(sorted, q->n, t);

    return top == 0 ? 0.0 : window_cdf(quantile_window(q, top), sorted, t);
}

double bootstrap_median_cdf(const double *sorted, size_t n, double t) {
    struct bootstrap_quantile own = {.n = n};

    return n == 0 || isnan(t) ? NAN : quantile_cdf(&own, sorted, t);
}

// inf{t: F(t) >= p}.
static double median_quantile(const double *sorted, size_t n, double p, struct bootstrap_quantile *q) {
    quantile_begin(q, n, p);
    size_t rank = q->rank;
    if (n % 2 == 1) return sorted[rank - 1];
    // F(x(rank)) is below P(N(rank) >= m): it lacks the resamples whose m-th draw is at most x(rank) but
    // whose midpoint lies above it. That moves the rank by one or two at most.
    while (rank < n && quantile_cdf(q, sorted, sorted[rank - 1]) < p) ++rank;
    double at = sorted[rank - 1];
    size_t below = rank - 1;
    while (below > 0 && sorted[below - 1] == at) --below;
    if (below == 0) return at;
    // F(x(below)) < p <= F(at), and the window stays the same in between.
    return window_quantile(quantile_window(q, below), sorted, float_order_key(sorted[below - 1]),
                           float_order_key(at), p);
}

int bootstrap_median_interval(const double *sorted, size_t n, struct bootstrap_median_memory *memory,
                              struct interval *out) {
    struct bootstrap_median_memory own;

    if (n == 0 || !float_order_is_sorted(sorted, n)) return -EINVAL;
    if (memory == NULL) {
        own = (struct bootstrap_median_memory){0};
        memory = &own;
    }
    out->lo = median_quantile(sorted, n, BOOTSTRAP_LOWER_QUANTILE, &memory->lower);
    out->hi = median_quantile(sorted, n, BOOTSTRAP_UPPER_QUANTILE, &memory->upper);
    return 0;
}
