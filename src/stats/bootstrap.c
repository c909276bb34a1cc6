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
#include <stdlib.h>

#include "stats/binomial.h"
#include "stats/float_order.h"

// Shares below this count as 0.
#define SHARE_FLOOR 1e-18
// ((n-j)/(n-i))^m <= exp(-(j-i)/2), so that ranks further apart than this cannot reach SHARE_FLOOR.
#define REACH 84
// The m-th draw lies within this many standard deviations (sqrt(n)/2 ranks) of the middle, up to 1e-23.
#define RANK_DEVIATIONS 10.0
// Guesses at a quantile of the ratio before bisection takes over.
#define GUESSES_MAX 40
// Pairs of support points that are examined one by one.
#define QUOTIENTS_MAX 512
// Sums of masses in different orders agree to much less than this.
#define SUM_SLACK 1e-11
// Evaluations around the normal approximation; after these the bracket is used as it is.
#define START_MAX 4
// The standard normal distribution's quantile at 97.5 %, and its density there.
#define NORMAL_QUANTILE 1.959964
#define NORMAL_DENSITY  0.058445

static size_t middle_rank(size_t n) {
    return (n + 1) / 2;
}

// The tails of N(i) at m.
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
    for (size_t k = 0; k <= REACH; ++k) {
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
    for (size_t k = 0; k < w->top && k <= REACH; ++k) {
        double x = w->sorted[w->top - k - 1];

        while (up < w->n - w->top && 0.5 * (x + w->sorted[w->top + up]) <= t) ++up;
        if (up > REACH) break;
        double share = exp(w->log_above[up] - w->log_below[k]);
        if (share < SHARE_FLOOR) break;
        sum += w->weight[k] * share;
    }
    return w->top_cdf - sum;
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

        if (draws_up_to(n, mid).at_least >= p)
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

// A possible median of a resample, the midpoint of x(i) and x(j), i <= j, and its probability, which does
// not depend on the values.
struct rank_pair {
    size_t i, j;
    double mass;
};

struct rank_pairs {
    struct rank_pair *items;
    size_t count;
    size_t room;
};

static int rank_pairs_add(struct rank_pairs *pairs, size_t i, size_t j, double mass) {
    if (!(mass >= SHARE_FLOOR)) return 0;
    if (pairs->count == pairs->room) {
        size_t room = pairs->room > 0 ? 2 * pairs->room : 256;
        struct rank_pair *items = realloc(pairs->items, room * sizeof *items);

        if (items == NULL) return -ENOMEM;
        pairs->items = items;
        pairs->room = room;
    }
    pairs->items[pairs->count++] = (struct rank_pair){.i = i, .j = j, .mass = mass};
    return 0;
}

// Adds the pairs whose m-th draw is x(i), for even n. at_m: P(N(i) = m); at_i: P(m-th draw is x(i)).
static int rank_pairs_add_rank(struct rank_pairs *pairs, size_t n, size_t i, double at_m, double at_i) {
    double m = (double)middle_rank(n);
    double weight = pair_weight(n, i, at_m);
    double share = i < n ? 1.0 : 0.0; // ((n-j+1)/(n-i))^m
    int rc = rank_pairs_add(pairs, i, i, at_i - weight * share);

    for (size_t j = i + 1; j <= n && rc == 0 && weight * share >= SHARE_FLOOR; ++j) {
        double next = j < n ? exp(m * log1p(-(double)(j - i) / (double)(n - i))) : 0.0;

        rc = rank_pairs_add(pairs, i, j, weight * (share - next));
        share = next;
    }
    return rc;
}

static int rank_pairs_fill(struct rank_pairs *pairs, size_t n) {
    double reach = 0.5 * RANK_DEVIATIONS * sqrt((double)n) + 2.0;
    size_t first = (double)middle_rank(n) > reach ? middle_rank(n) - (size_t)reach : 1;
    size_t last = (double)(n - middle_rank(n)) > reach ? middle_rank(n) + (size_t)reach : n;
    double before = first > 1 ? draws_up_to(n, first - 1).at_least : 0.0;
    int rc = 0;

    pairs->count = 0;
    for (size_t i = first; i <= last && rc == 0; ++i) {
        struct binomial_tail draws = draws_up_to(n, i);

        if (n % 2 == 1)
            rc = rank_pairs_add(pairs, i, i, draws.at_least - before);
        else
            rc = rank_pairs_add_rank(pairs, n, i, draws.at, draws.at_least - before);
        before = draws.at_least;
    }
    return rc;
}

struct point {
    double value;
    double mass;
};

// The support of the bootstrap median.
struct support {
    struct point *points;
    size_t count;
};

// In order of the pairs. The caller frees the points.
static int support_fill(struct support *s, const struct rank_pairs *pairs, const double *sorted) {
    s->points = malloc((pairs->count > 0 ? pairs->count : 1) * sizeof *s->points);
    if (s->points == NULL) return -ENOMEM;
    s->count = pairs->count;
    for (size_t k = 0; k < pairs->count; ++k) {
        double low = sorted[pairs->items[k].i - 1];
        double high = sorted[pairs->items[k].j - 1];

        s->points[k].value = pairs->items[k].i == pairs->items[k].j ? low : 0.5 * (low + high);
        s->points[k].mass = pairs->items[k].mass;
    }
    return 0;
}

struct moments {
    double mean, sd;
};

// origin: a value near the mean, so that neither moment is a difference of large numbers.
static struct moments support_moments(const struct support *s, double origin) {
    double mean = 0.0;
    double squares = 0.0;

    for (size_t k = 0; k < s->count; ++k) mean += s->points[k].mass * (s->points[k].value - origin);
    for (size_t k = 0; k < s->count; ++k) {
        double off = s->points[k].value - origin - mean;

        squares += s->points[k].mass * off * off;
    }
    return (struct moments){.mean = origin + mean, .sd = sqrt(squares)};
}

// One pass of a merge sort: neighbouring ascending runs of `from` become one each in `into`. Returns how many
// runs remain.
static size_t merge_runs(const struct point *from, struct point *into, size_t count) {
    size_t run_count = 0;

    for (size_t at = 0; at < count; ++run_count) {
        size_t left = at;
        size_t middle = left + 1;

        while (middle < count && from[middle - 1].value <= from[middle].value) ++middle;
        size_t right = middle;
        size_t end = middle < count ? middle + 1 : count;
        while (end < count && from[end - 1].value <= from[end].value) ++end;
        for (; at < end; ++at) {
            bool is_left = right == end || (left < middle && from[left].value <= from[right].value);

            into[at] = is_left ? from[left] : from[right];
            left += is_left;
            right += !is_left;
        }
    }
    return run_count;
}

// Sorts the points and merges equal values. The points of one rank are already ascending, so merging runs
// is faster than qsort().
static int support_sort(struct support *s) {
    struct point *spare = malloc((s->count > 0 ? s->count : 1) * sizeof *spare);
    size_t kept = 0;

    if (spare == NULL) return -ENOMEM;
    for (size_t run_count = 2; run_count > 1;) {
        struct point *merged = spare;

        run_count = merge_runs(s->points, merged, s->count);
        spare = s->points;
        s->points = merged;
    }
    for (size_t k = 1; k < s->count; ++k) {
        if (s->points[k].value == s->points[kept].value)
            s->points[kept].mass += s->points[k].mass;
        else
            s->points[++kept] = s->points[k];
    }
    if (s->count > 0) s->count = kept + 1;
    free(spare);
    return 0;
}

// Keys of ratios around the quantile: the distribution function lies below p at lo, and not below it at hi.
struct bracket {
    int64_t lo, hi;
    double lo_cdf;
    double lo_miss, hi_miss; // distribution function - p; halved for an end that stays (Illinois rule)
    uint64_t lo_pairs, hi_pairs;
    int last; // which end moved: -1 lo, 1 hi
};

// Evaluates the distribution function at key and moves one end there. The masses of b must be cumulative.
static void bracket_try(struct bracket *at, const struct support *a, const struct support *b, double p,
                        int64_t key) {
    double ratio = float_order_value(key);
    double cdf = 0.0;   // P(B* / A* <= ratio)
    uint64_t pairs = 0; // of support points with that quotient or a smaller one
    size_t k = 0;

    for (size_t i = 0; i < a->count; ++i) {
        double limit = ratio * a->points[i].value;

        while (k < b->count && b->points[k].value <= limit) ++k;
        if (k > 0) cdf += a->points[i].mass * b->points[k - 1].mass;
        pairs += k;
    }
    int moved = cdf >= p ? 1 : -1;

    if (moved > 0) {
        at->hi = key;
        at->hi_miss = cdf - p;
        at->hi_pairs = pairs;
        if (at->last == moved) at->lo_miss *= 0.5;
    } else {
        at->lo = key;
        at->lo_cdf = cdf;
        at->lo_miss = cdf - p;
        at->lo_pairs = pairs;
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

// Pairs of support points left in a bracket, in no order.
struct quotients {
    size_t count;
    bool is_exact; // all keys are exact
    int64_t keys[QUOTIENTS_MAX];
    double masses[QUOTIENTS_MAX];
};

// Key of the smallest ratio whose product with base reaches cand, from which on bracket_try() counts the
// pair. Rounding of quotient and product moves it by a neighbour or two. Only near the smallest numbers it
// moves by more, and then the key is not exact.
static int64_t pair_key(double base, double cand, bool *is_exact) {
    int64_t key = float_order_key(cand / base);

    for (int i = 0; i < 3 && float_order_value(key - 1) * base >= cand; ++i) --key;
    for (int i = 0; i < 3 && !(float_order_value(key) * base >= cand); ++i) ++key;
    bool is_first = float_order_value(key) * base >= cand && !(float_order_value(key - 1) * base >= cand);
    *is_exact = *is_exact && is_first;
    return key;
}

static void quotients_collect(struct quotients *q, const struct bracket *at, const struct support *a,
                              const struct support *b) {
    double lo = float_order_value(at->lo);
    double hi = float_order_value(at->hi);
    size_t k = 0;

    q->count = 0;
    q->is_exact = true;
    for (size_t i = 0; i < a->count; ++i) {
        struct point base = a->points[i];
        double limit = hi * base.value;

        while (k < b->count && b->points[k].value <= lo * base.value) ++k;
        for (size_t j = k; j < b->count && b->points[j].value <= limit && q->count < QUOTIENTS_MAX; ++j) {
            double before = j > 0 ? b->points[j - 1].mass : 0.0;

            q->keys[q->count] = pair_key(base.value, b->points[j].value, &q->is_exact);
            q->masses[q->count++] = base.mass * (b->points[j].mass - before);
        }
    }
}

static void quotients_swap(struct quotients *q, size_t i, size_t j) {
    int64_t key = q->keys[i];
    double mass = q->masses[i];

    q->keys[i] = q->keys[j];
    q->masses[i] = q->masses[j];
    q->keys[j] = key;
    q->masses[j] = mass;
}

// The key at which the distribution function, *cdf below all of them, reaches p; *cdf becomes its value below
// that key, *mass the key's. Quickselect by mass.
static int64_t quotients_select(struct quotients *q, double p, double *cdf, double *mass) {
    size_t first = 0;
    size_t end = q->count;

    for (;;) {
        int64_t pivot = q->keys[first + (end - first) / 2];
        size_t less = first; // [first, less) < pivot, [less, i) == pivot, [more, end) > pivot
        size_t more = end;
        double mass_less = 0.0;
        double mass_equal = 0.0;

        for (size_t i = first; i < more;) {
            if (q->keys[i] < pivot) {
                mass_less += q->masses[i];
                quotients_swap(q, i++, less++);
            } else if (q->keys[i] > pivot) {
                quotients_swap(q, i, --more);
            } else {
                mass_equal += q->masses[i++];
            }
        }
        if (less > first && *cdf + mass_less >= p) {
            end = less;
        } else if (more == end || *cdf + mass_less + mass_equal >= p) {
            *cdf += mass_less;
            *mass = mass_equal;
            return pivot;
        } else {
            *cdf += mass_less + mass_equal;
            first = more;
        }
    }
}

// Finishes with few pairs left in the bracket: the step is at one of their keys. If rounding of the sums
// could matter, or a key is not exact, it only narrows the bracket.
static void bracket_finish(struct bracket *at, const struct support *a, const struct support *b, double p) {
    struct quotients q;
    double cdf = at->lo_cdf;
    double mass = 0.0;

    quotients_collect(&q, at, a, b);
    if (q.count == 0) return;
    int64_t key = quotients_select(&q, p, &cdf, &mass);
    if (q.is_exact && key > at->lo && key <= at->hi && cdf < p - SUM_SLACK && cdf + mass > p + SUM_SLACK) {
        at->lo = key - 1;
        at->hi = key;
        return;
    }
    if (key > at->lo && key < at->hi) bracket_try(at, a, b, p, key);
    if (key - 1 > at->lo && key - 1 < at->hi) bracket_try(at, a, b, p, key - 1);
}

// Approximate centre and spread of the quotient of two bootstrap medians.
struct ratio_shape {
    double middle, log_sd;
};

// Starts at the quantile of a normal approximation of the log ratio, then steps by the normal density,
// further each time, until the quantile lies between two evaluations.
static void bracket_start(struct bracket *at, const struct support *a, const struct support *b, double p,
                          const struct ratio_shape *shape) {
    double ratio = shape->middle * exp(shape->log_sd * (p < 0.5 ? -NORMAL_QUANTILE : NORMAL_QUANTILE));
    int first = 0; // which end moved first

    for (int i = 0; i < START_MAX && isfinite(ratio) && at->last == first; ++i) {
        int64_t key = float_order_key(ratio);

        if (key <= at->lo || key >= at->hi) return;
        bracket_try(at, a, b, p, key);
        if (i == 0) first = at->last;
        double miss = at->last > 0 ? at->hi_miss : -at->lo_miss;
        double step = shape->log_sd * fmax(1.5 * miss / NORMAL_DENSITY, 0.01) * (double)(1 << i);
        ratio *= exp(at->last > 0 ? -step : step);
    }
}

// The quantile, exact to the bit: the step of the distribution function is bracketed by the Illinois rule
// until few pairs are left, then found among their quotients. Bisection does the rest, which is all of the
// work when very many quotients are equal.
static double ratio_quantile(const struct support *a, const struct support *b, double p,
                             const struct ratio_shape *shape) {
    // A few neighbours beyond the extreme ratios, since quotient and product are rounded.
    struct bracket at = {.lo = float_order_key(b->points[0].value / a->points[a->count - 1].value) - 4,
                         .hi = float_order_key(b->points[b->count - 1].value / a->points[0].value) + 4,
                         .lo_miss = -p,
                         .hi_miss = 1.0 - p,
                         .hi_pairs = (uint64_t)a->count * b->count};

    if (at.hi > float_order_key(INFINITY)) at.hi = float_order_key(INFINITY);
    bracket_start(&at, a, b, p, shape);
    at.last = 0;
    for (int i = 0; i < GUESSES_MAX && at.hi_pairs - at.lo_pairs > QUOTIENTS_MAX; ++i) {
        if (!float_order_has_between(at.lo, at.hi)) break;
        bracket_try(&at, a, b, p, bracket_guess(&at));
    }
    if (at.hi_pairs - at.lo_pairs <= QUOTIENTS_MAX) bracket_finish(&at, a, b, p);
    while (float_order_has_between(at.lo, at.hi)) bracket_try(&at, a, b, p, float_order_mid(at.lo, at.hi));
    return float_order_value(at.hi);
}

int bootstrap_ratio_interval(const double *base, size_t base_count, const double *cand, size_t cand_count,
                             struct interval *out) {
    struct rank_pairs pairs = {NULL, 0, 0};
    struct support a = {NULL, 0};
    struct support b = {NULL, 0};

    if (base_count == 0 || !float_order_is_sorted_positive(base, base_count)) return -EINVAL;
    if (cand_count == 0 || !float_order_is_sorted_positive(cand, cand_count)) return -EINVAL;
    int rc = rank_pairs_fill(&pairs, base_count);
    if (rc == 0) rc = support_fill(&a, &pairs, base);
    if (rc == 0 && cand_count != base_count) rc = rank_pairs_fill(&pairs, cand_count);
    if (rc == 0) rc = support_fill(&b, &pairs, cand);
    if (rc == 0) rc = support_sort(&a);
    if (rc == 0) rc = support_sort(&b);
    if (rc != 0) goto out;
    struct moments of_base = support_moments(&a, base[base_count / 2]);
    struct moments of_cand = support_moments(&b, cand[cand_count / 2]);
    struct ratio_shape shape = {.middle = of_cand.mean / of_base.mean,
                                .log_sd = hypot(of_base.sd / of_base.mean, of_cand.sd / of_cand.mean)};
    for (size_t k = 1; k < b.count; ++k) b.points[k].mass += b.points[k - 1].mass;
    out->lo = ratio_quantile(&a, &b, BOOTSTRAP_LOWER_QUANTILE, &shape);
    out->hi = ratio_quantile(&a, &b, BOOTSTRAP_UPPER_QUANTILE, &shape);
out:
    free(b.points);
    free(a.points);
    free(pairs.items);
    return rc;
}
