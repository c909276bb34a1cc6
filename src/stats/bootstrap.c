// SPDX-License-Identifier: Apache-2.0
// How sure is the median of these samples, by the percentile bootstrap without its noise?
// Let N(i) be how many of n draws (with replacement) fall on x(1..i): N(i) ~ Bin(n, i/n), and the m-th
// smallest draw is at most x(i) exactly when N(i) >= m, m = floor((n+1)/2). That settles odd n. For even n
// the median is the midpoint of the m-th and (m+1)-th draw; the m-th is x(i) and the next one beyond x(j)
// with probability
//   v(i) ((n-j)/(n-i))^m,  v(i) = P(Bin(n, i/n) = m) (1 - ((i-1)/i)^m),  i <= j,
// since then m draws are at most x(i), not all of them below it, and the other m lie beyond x(j). Every
// factor is in [0, 1], nothing overflows at any n, and the powers die out a few dozen ranks from i.
#include "stats/bootstrap.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "stats/binomial.h"
#include "stats/float_order.h"

// Shares below this are taken as 0.
#define SHARE_FLOOR 1e-18
// ((n-j)/(n-i))^m <= exp(-(j-i)/2), so that ranks further apart than this cannot reach SHARE_FLOOR.
#define REACH 84
// The m-th draw lies within this many standard deviations (sqrt(n)/2 ranks) of the middle, up to 1e-23.
#define RANK_DEVIATIONS 10.0
// Guesses at a quantile of the ratio before bisection takes over.
#define GUESSES_MAX 40

static size_t middle_rank(size_t n) {
    return (n + 1) / 2;
}

// N(i) against m.
static struct binomial_tail draws_up_to(size_t n, size_t i) {
    return binomial_tail(n, (double)i / (double)n, middle_rank(n));
}

// v(i), given P(N(i) = m).
static double pair_weight(size_t n, size_t i, double at_m) {
    return i == 1 ? at_m : at_m * -expm1((double)middle_rank(n) * log1p(-1.0 / (double)i));
}

// Everything about the ranks around `top` that the distribution function needs while x(top) <= t < x(top +
// 1).
struct window {
    const double *sorted;
    size_t n;
    size_t top;
    double top_cdf;              // P(N(top) >= m)
    double weight[REACH + 1];    // v(top - k)
    double log_below[REACH + 1]; // m ln((n-i)/(n-top)) at i = top - k
    double log_above[REACH + 1]; // m ln((n-j)/(n-top)) at j = top + k
};

static void window_init(struct window *w, const double *sorted, size_t n, size_t top) {
    struct binomial_tail at_top = draws_up_to(n, top);
    double m = (double)middle_rank(n);
    double at_m = at_top.at;

    w->sorted = sorted;
    w->n = n;
    w->top = top;
    w->top_cdf = at_top.at_least;
    if (n % 2 == 1 || top == n) return;
    double rest = (double)(n - top);
    for (size_t k = 0; k <= REACH; k++) {
        size_t i = top - k;

        if (k < top) {
            w->weight[k] = pair_weight(n, i, at_m);
            w->log_below[k] = m * log1p((double)k / rest);
            // From P(N(i) = m) to P(N(i-1) = m).
            if (i > 1) at_m *= exp(m * (log1p(-1.0 / (double)i) + log1p(1.0 / (double)(n - i))));
        }
        if (k <= n - top) w->log_above[k] = m * log1p(-(double)k / rest);
    }
}

// P(median of a resample <= t) for x(top) <= t < x(top + 1): P(m-th draw <= t), less the sum of v(i)
// ((n-J)/(n-i))^m over i <= top, J(i) being the last rank whose midpoint with x(i) is at most t. J rises
// while i falls.
static double window_cdf(const struct window *w, double t) {
    double sum = 0.0;
    size_t up = 0; // J(i) - top

    if (w->n % 2 == 1 || w->top == w->n) return w->top_cdf;
    for (size_t k = 0; k < w->top && k <= REACH; k++) {
        double x = w->sorted[w->top - k - 1];

        while (up < w->n - w->top && 0.5 * (x + w->sorted[w->top + up]) <= t) up++;
        if (up > REACH) break;
        double share = exp(w->log_above[up] - w->log_below[k]);
        if (share < SHARE_FLOOR) break;
        sum += w->weight[k] * share;
    }
    return w->top_cdf - sum;
}

// How many of the values are at most t.
static size_t count_up_to(const double *sorted, size_t n, double t) {
    size_t lo = 0;
    size_t hi = n;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (sorted[mid] <= t)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

double bootstrap_median_cdf(const double *sorted, size_t n, double t) {
    struct window w;

    if (n == 0 || isnan(t)) return NAN;
    size_t top = count_up_to(sorted, n, t);
    if (top == 0) return 0.0;
    window_init(&w, sorted, n, top);
    return window_cdf(&w, t);
}

// The smallest rank i whose P(N(i) >= m) reaches p: where to start looking, and for odd n the answer.
static size_t first_rank(size_t n, double p) {
    size_t lo = 0;
    size_t hi = n;

    while (hi - lo > 1) {
        size_t mid = lo + (hi - lo) / 2;

        if (draws_up_to(n, mid).at_least >= p)
            hi = mid;
        else
            lo = mid;
    }
    return hi;
}

// inf{t: F(t) >= p}.
static double median_quantile(const double *sorted, size_t n, double p) {
    size_t rank = first_rank(n, p);
    struct window w;

    if (n % 2 == 1) return sorted[rank - 1];
    // F(x(rank)) falls short of P(N(rank) >= m) by what lies above the median's lower half: a rank or two at
    // most.
    while (rank < n && bootstrap_median_cdf(sorted, n, sorted[rank - 1]) < p) rank++;
    double at = sorted[rank - 1];
    size_t below = rank - 1;
    while (below > 0 && sorted[below - 1] == at) below--;
    if (below == 0) return at;
    // F(x(below)) < p <= F(at), and the window stays the same in between.
    window_init(&w, sorted, n, below);
    int64_t lo = float_order_key(sorted[below - 1]);
    int64_t hi = float_order_key(at);
    while (float_order_has_between(lo, hi)) {
        int64_t mid = float_order_mid(lo, hi);

        if (window_cdf(&w, float_order_value(mid)) >= p)
            hi = mid;
        else
            lo = mid;
    }
    return float_order_value(hi);
}

int bootstrap_median_interval(const double *sorted, size_t n, struct interval *out) {
    if (n == 0 || !float_order_is_sorted(sorted, n)) return -EINVAL;
    out->lo = median_quantile(sorted, n, BOOTSTRAP_LOWER_QUANTILE);
    out->hi = median_quantile(sorted, n, BOOTSTRAP_UPPER_QUANTILE);
    return 0;
}

struct point {
    double value;
    double mass;
};

// The support of the bootstrap median, in no order.
struct support {
    struct point *points;
    size_t count;
    size_t room;
};

static int support_add(struct support *s, double value, double mass) {
    if (!(mass >= SHARE_FLOOR)) return 0;
    if (s->count == s->room) {
        size_t room = s->room > 0 ? 2 * s->room : 256;
        struct point *points = realloc(s->points, room * sizeof *points);

        if (points == NULL) return -ENOMEM;
        s->points = points;
        s->room = room;
    }
    s->points[s->count++] = (struct point){.value = value, .mass = mass};
    return 0;
}

// The points whose m-th draw is x(i), for even n: x(i) itself and its midpoints. at_i: P(m-th draw is x(i)).
static int support_add_rank(struct support *s, const double *sorted, size_t n, size_t i, double at_i) {
    double m = (double)middle_rank(n);
    double weight = pair_weight(n, i, draws_up_to(n, i).at);
    double share = i < n ? 1.0 : 0.0; // ((n-j+1)/(n-i))^m
    int rc = support_add(s, sorted[i - 1], at_i - weight * share);

    for (size_t j = i + 1; j <= n && rc == 0 && weight * share >= SHARE_FLOOR; j++) {
        double next = j < n ? exp(m * log1p(-(double)(j - i) / (double)(n - i))) : 0.0;

        rc = support_add(s, 0.5 * (sorted[i - 1] + sorted[j - 1]), weight * (share - next));
        share = next;
    }
    return rc;
}

static int support_fill(struct support *s, const double *sorted, size_t n) {
    double reach = 0.5 * RANK_DEVIATIONS * sqrt((double)n) + 2.0;
    size_t first = (double)middle_rank(n) > reach ? middle_rank(n) - (size_t)reach : 1;
    size_t last = (double)(n - middle_rank(n)) > reach ? middle_rank(n) + (size_t)reach : n;
    double before = first > 1 ? draws_up_to(n, first - 1).at_least : 0.0;
    int rc = 0;

    for (size_t i = first; i <= last && rc == 0; i++) {
        double cdf = draws_up_to(n, i).at_least;

        if (n % 2 == 1)
            rc = support_add(s, sorted[i - 1], cdf - before);
        else
            rc = support_add_rank(s, sorted, n, i, cdf - before);
        before = cdf;
    }
    return rc;
}

int bootstrap_median_moments(const double *sorted, size_t n, struct bootstrap_moments *out) {
    struct support s = {NULL, 0, 0};

    if (n == 0 || !float_order_is_sorted(sorted, n)) return -EINVAL;
    int rc = support_fill(&s, sorted, n);
    if (rc == 0) {
        // Around a value near the mean, so that neither moment is a difference of large numbers.
        double origin = sorted[n / 2];
        double mean = 0.0;
        double squares = 0.0;

        for (size_t k = 0; k < s.count; k++) mean += s.points[k].mass * (s.points[k].value - origin);
        for (size_t k = 0; k < s.count; k++) {
            double off = s.points[k].value - origin - mean;

            squares += s.points[k].mass * off * off;
        }
        out->mean = origin + mean;
        out->sd = sqrt(squares);
    }
    free(s.points);
    return rc;
}

static int compare_points(const void *pa, const void *pb) {
    const struct point *a = pa;
    const struct point *b = pb;

    return (a->value > b->value) - (a->value < b->value);
}

struct reach {
    double cdf;     // P(B* / A* <= ratio)
    uint64_t pairs; // of support points with that quotient or a smaller one
};

// The masses of b are cumulated.
static struct reach ratio_reach(const struct support *a, const struct support *b, double ratio) {
    struct reach reach = {0.0, 0};
    size_t k = 0;

    for (size_t i = 0; i < a->count; i++) {
        double limit = ratio * a->points[i].value;

        while (k < b->count && b->points[k].value <= limit) k++;
        if (k > 0) reach.cdf += a->points[i].mass * b->points[k - 1].mass;
        reach.pairs += k;
    }
    return reach;
}

// The one quotient above lo and up to hi.
static double ratio_between(const struct support *a, const struct support *b, double lo, double hi) {
    size_t k = 0;

    for (size_t i = 0; i < a->count; i++) {
        double value = a->points[i].value;

        while (k < b->count && b->points[k].value <= lo * value) k++;
        if (k < b->count && b->points[k].value <= hi * value) return b->points[k].value / value;
    }
    return hi;
}

// Keys of ratios around the quantile: the distribution function lies below p at lo, and not below it at hi.
struct bracket {
    int64_t lo, hi;
    double lo_miss, hi_miss; // distribution function - p, the end that stays put halved time and again
    uint64_t lo_pairs, hi_pairs;
    int last; // which end moved: -1 lo, 1 hi
};

static void bracket_try(struct bracket *at, const struct support *a, const struct support *b, double p,
                        int64_t key) {
    struct reach reach = ratio_reach(a, b, float_order_value(key));
    int moved = reach.cdf >= p ? 1 : -1;

    if (moved > 0) {
        at->hi = key;
        at->hi_miss = reach.cdf - p;
        at->hi_pairs = reach.pairs;
        if (at->last == moved) at->lo_miss *= 0.5;
    } else {
        at->lo = key;
        at->lo_miss = reach.cdf - p;
        at->lo_pairs = reach.pairs;
        if (at->last == moved) at->hi_miss *= 0.5;
    }
    at->last = moved;
}

// Where the line between both ends meets p.
static int64_t bracket_guess(const struct bracket *at) {
    double share = at->lo_miss / (at->lo_miss - at->hi_miss);
    double reach = share * ((double)at->hi - (double)at->lo);

    if (!(reach > 0.0 && reach < (double)at->hi - (double)at->lo)) return float_order_mid(at->lo, at->hi);
    int64_t guess = at->lo + (int64_t)reach;
    return guess > at->lo && guess < at->hi ? guess : float_order_mid(at->lo, at->hi);
}

// The quantile is exact to the bit: the step function's step, found by the Illinois rule until it is alone in the bracket,
// then from its quotient. Bisection does the rest, and all of it where many quotients are equal.
static double ratio_quantile(const struct support *a, const struct support *b, double p) {
    // A few neighbours beyond the extreme ratios, since quotient and product are rounded.
    struct bracket at = {.lo = float_order_key(b->points[0].value / a->points[a->count - 1].value) - 4,
                         .hi = float_order_key(b->points[b->count - 1].value / a->points[0].value) + 4,
                         .lo_miss = -p,
                         .hi_miss = 1.0 - p,
                         .hi_pairs = (uint64_t)a->count * b->count};

    if (at.hi > float_order_key(INFINITY)) at.hi = float_order_key(INFINITY);
    for (int i = 0; i < GUESSES_MAX && at.hi_pairs - at.lo_pairs > 1; i++) {
        if (!float_order_has_between(at.lo, at.hi)) break;
        bracket_try(&at, a, b, p, bracket_guess(&at));
    }
    if (at.hi_pairs - at.lo_pairs == 1) {
        int64_t key =
            float_order_key(ratio_between(a, b, float_order_value(at.lo), float_order_value(at.hi)));

        if (key - 2 > at.lo && key - 2 < at.hi) bracket_try(&at, a, b, p, key - 2);
        if (key + 2 > at.lo && key + 2 < at.hi) bracket_try(&at, a, b, p, key + 2);
    }
    while (float_order_has_between(at.lo, at.hi)) bracket_try(&at, a, b, p, float_order_mid(at.lo, at.hi));
    return float_order_value(at.hi);
}

int bootstrap_ratio_interval(const double *base, size_t base_count, const double *cand, size_t cand_count,
                             struct interval *out) {
    struct support a = {NULL, 0, 0};
    struct support b = {NULL, 0, 0};

    if (base_count == 0 || !float_order_is_sorted_positive(base, base_count)) return -EINVAL;
    if (cand_count == 0 || !float_order_is_sorted_positive(cand, cand_count)) return -EINVAL;
    int rc = support_fill(&a, base, base_count);
    if (rc == 0) rc = support_fill(&b, cand, cand_count);
    if (rc != 0) goto out;
    qsort(a.points, a.count, sizeof *a.points, compare_points);
    qsort(b.points, b.count, sizeof *b.points, compare_points);
    for (size_t k = 1; k < b.count; k++) b.points[k].mass += b.points[k - 1].mass;
    out->lo = ratio_quantile(&a, &b, BOOTSTRAP_LOWER_QUANTILE);
    out->hi = ratio_quantile(&a, &b, BOOTSTRAP_UPPER_QUANTILE);
out:
    free(b.points);
    free(a.points);
    return rc;
}
