// SPDX-License-Identifier: Apache-2.0
//
// The distribution of median(cand*) / median(base*): both medians have a support of weighted points,
// midpoints of two ranks (bootstrap.c says with what probability), and the quotient's distribution function
// is one walk over both. Its quantile is bracketed until few pairs of points are left, and then is a
// quotient of one of them.
#include "stats/bootstrap_ratio.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "stats/binomial.h"
#include "stats/bootstrap.h"
#include "stats/bootstrap_internal.h"
#include "stats/float_order.h"

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
// Points that stand for all in a guess at the quantiles, which lie at most GUESS_REACH standard deviations
// from those of a normal distribution, else the guess is poor; GUESS_PRECISION: how near it comes.
#define COARSE_COUNT    256
#define GUESS_REACH     2.0
#define GUESS_PRECISION 0.002
// Points of a bucket that are sorted by insertion.
#define INSERTION_MAX 24

// A possible median of a resample, the midpoint of x(i) and x(j), i <= j, and its probability, which does
// not depend on the values.
struct bootstrap_rank_pair {
    size_t i, j;
    double mass;
};

static int ranks_add(struct bootstrap_ranks *ranks, size_t i, size_t j, double mass) {
    if (!(mass >= BOOTSTRAP_SHARE_FLOOR)) return 0;
    if (ranks->count == ranks->room) {
        size_t room = ranks->room > 0 ? 2 * ranks->room : 256;
        struct bootstrap_rank_pair *items = realloc(ranks->items, room * sizeof *items);

        if (items == NULL) return -ENOMEM;
        ranks->items = items;
        ranks->room = room;
    }
    ranks->items[ranks->count++] = (struct bootstrap_rank_pair){.i = i, .j = j, .mass = mass};
    return 0;
}

// Adds the pairs whose m-th draw is x(i), for even n. at_m: P(N(i) = m); at_i: P(m-th draw is x(i)).
static int ranks_add_rank(struct bootstrap_ranks *ranks, size_t n, size_t i, double at_m, double at_i) {
    double m = (double)bootstrap_middle_rank(n);
    double weight = bootstrap_pair_weight(n, i, at_m);
    double share = i < n ? 1.0 : 0.0; // ((n-j+1)/(n-i))^m
    int rc = ranks_add(ranks, i, i, at_i - weight * share);

    for (size_t j = i + 1; j <= n && rc == 0 && weight * share >= BOOTSTRAP_SHARE_FLOOR; ++j) {
        double next = j < n ? exp(m * log1p(-(double)(j - i) / (double)(n - i))) : 0.0;

        rc = ranks_add(ranks, i, j, weight * (share - next));
        share = next;
    }
    return rc;
}

static int ranks_fill(struct bootstrap_ranks *ranks, size_t n) {
    double reach = 0.5 * RANK_DEVIATIONS * sqrt((double)n) + 2.0;
    size_t first = (double)bootstrap_middle_rank(n) > reach ? bootstrap_middle_rank(n) - (size_t)reach : 1;
    size_t last =
        (double)(n - bootstrap_middle_rank(n)) > reach ? bootstrap_middle_rank(n) + (size_t)reach : n;
    double before = first > 1 ? bootstrap_draws_up_to(n, first - 1).at_least : 0.0;
    int rc = 0;

    if (ranks->n == n) return 0;
    ranks->n = 0;
    ranks->count = 0;
    for (size_t i = first; i <= last && rc == 0; ++i) {
        struct binomial_tail draws = bootstrap_draws_up_to(n, i);

        if (n % 2 == 1)
            rc = ranks_add(ranks, i, i, draws.at_least - before);
        else
            rc = ranks_add_rank(ranks, n, i, draws.at, draws.at_least - before);
        before = draws.at_least;
    }
    if (rc == 0) ranks->n = n;
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
static int support_fill(struct support *s, const struct bootstrap_ranks *ranks, const double *sorted) {
    s->points = malloc((ranks->count > 0 ? ranks->count : 1) * sizeof *s->points);
    if (s->points == NULL) return -ENOMEM;
    s->count = ranks->count;
    for (size_t k = 0; k < ranks->count; ++k) {
        double low = sorted[ranks->items[k].i - 1];
        double high = sorted[ranks->items[k].j - 1];

        s->points[k].value = ranks->items[k].i == ranks->items[k].j ? low : 0.5 * (low + high);
        s->points[k].mass = ranks->items[k].mass;
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

// Sorts into one of both arrays and returns that one. The points of one rank are already ascending, so
// merging runs is faster than qsort().
static struct point *merge_sort(struct point *points, struct point *spare, size_t count) {
    for (size_t run_count = 2; run_count > 1;) {
        struct point *from = points;

        run_count = merge_runs(from, spare, count);
        points = spare;
        spare = from;
    }
    return points;
}

static void bucket_sort(struct point *points, struct point *spare, size_t count) {
    if (count > INSERTION_MAX) {
        struct point *sorted = merge_sort(points, spare, count);

        if (sorted != points) memcpy(points, sorted, count * sizeof *points);
        return;
    }
    for (size_t i = 1; i < count; ++i) {
        struct point moved = points[i];
        size_t at = i;

        for (; at > 0 && points[at - 1].value > moved.value; --at) points[at] = points[at - 1];
        points[at] = moved;
    }
}

// As many buckets as points, of equal width between the values in the middle of the sample; what lies beyond
// goes to the first and the last. Equal values stay in order everywhere, so that sums of their masses do not
// depend on how they were sorted. ends: room for twice the count.
static void spread(const struct support *s, struct point *into, uint32_t *ends, struct interval middle) {
    double scale = (double)s->count / (middle.hi - middle.lo);
    double last = (double)(s->count - 1);
    uint32_t *places = ends + s->count;
    uint32_t sum = 0;

    if (!(isfinite(scale) && scale > 0.0)) scale = 0.0; // one value has the middle: one bucket
    for (size_t k = 0; k < s->count; ++k) ends[k] = 0;
    for (size_t k = 0; k < s->count; ++k) {
        double place = (s->points[k].value - middle.lo) * scale;

        places[k] = (uint32_t)(place < 0.0 ? 0.0 : place > last ? last : place);
        ++ends[places[k]];
    }
    for (size_t k = 0; k < s->count; ++k) {
        uint32_t size = ends[k];

        ends[k] = sum;
        sum += size;
    }
    for (size_t k = 0; k < s->count; ++k) into[ends[places[k]]++] = s->points[k];
}

// Sorts the points and merges equal values.
static int support_sort(struct support *s, struct interval middle) {
    struct point *sorted = malloc((s->count + 1) * sizeof *sorted);
    uint32_t *ends = malloc((2 * s->count + 1) * sizeof *ends);
    size_t kept = 0;
    int rc = sorted != NULL && ends != NULL && s->count <= UINT32_MAX ? 0 : -ENOMEM;

    if (rc != 0) goto out;
    spread(s, sorted, ends, middle);
    for (size_t k = 0, at = 0; k < s->count; at = ends[k++])
        bucket_sort(sorted + at, s->points, ends[k] - at);
    for (size_t k = 0; k < s->count; ++k) {
        if (k > 0 && sorted[k].value == s->points[kept].value)
            s->points[kept].mass += sorted[k].mass;
        else
            s->points[k > 0 ? ++kept : 0] = sorted[k];
    }
    if (s->count > 0) s->count = kept + 1;
out:
    free(ends);
    free(sorted);
    return rc;
}

// Keys of ratios around the quantile: the distribution function lies below p at lo, and not below it at hi.
struct bracket {
    int64_t lo, hi;
    double lo_cdf;
    double lo_miss, hi_miss; // distribution function - p; halved for an end that stays (Illinois rule)
    uint64_t lo_pairs, hi_pairs;
    int last; // which end moved: -1 lo, 1 hi
    // For each point of a, how many of b are at most the ratio times it, at both ends: all walks between them
    // stay between these. spare: room for another.
    uint32_t *lo_reach, *hi_reach, *spare;
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

        if (k < at->lo_reach[i]) k = at->lo_reach[i];
        while (k < at->hi_reach[i] && b->points[k].value <= limit) ++k;
        if (k > 0) cdf += a->points[i].mass * b->points[k - 1].mass;
        pairs += k;
        at->spare[i] = (uint32_t)k;
    }
    int moved = cdf >= p ? 1 : -1;
    uint32_t **reach = moved > 0 ? &at->hi_reach : &at->lo_reach, *walked = at->spare;
    at->spare = *reach;
    *reach = walked;

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
    q->count = 0;
    q->is_exact = true;
    for (size_t i = 0; i < a->count; ++i) {
        struct point base = a->points[i];

        for (size_t j = at->lo_reach[i]; j < at->hi_reach[i] && q->count < QUOTIENTS_MAX; ++j) {
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

// Approximate centre and spread of the quotient of two bootstrap medians, guesses at its quantiles, and
// room for three walks.
struct ratio_shape {
    double middle, log_sd;
    double guess[2];
    uint32_t *room;
};

// The support in COARSE_COUNT points of about the same mass, each the mean of its neighbours. Returns how
// many.
static size_t make_coarse(const struct support *s, struct point *ret) {
    struct point sum = {0.0, 0.0}; // value: mass times value
    size_t count = 0;

    for (size_t k = 0; k < s->count; ++k) {
        sum.value += s->points[k].mass * s->points[k].value;
        sum.mass += s->points[k].mass;
        bool is_full = sum.mass >= 1.0 / COARSE_COUNT && count + 1 < COARSE_COUNT;
        if (!is_full && k + 1 < s->count) continue;
        ret[count++] = (struct point){.value = sum.value / sum.mass, .mass = sum.mass};
        sum = (struct point){0.0, 0.0};
    }
    return count;
}

// The quantile of the coarse supports: right to about a hundredth of the ratio's spread, in a tenth of the
// time of one walk over all points. Sets shape->guess.
static void guess_quantiles(const struct support *a, const struct support *b, struct ratio_shape *shape) {
    struct point coarse_a[COARSE_COUNT], coarse_b[COARSE_COUNT];
    size_t a_count = make_coarse(a, coarse_a);
    size_t b_count = make_coarse(b, coarse_b);

    for (size_t side = 0; side < 2; ++side) {
        double p = side == 0 ? BOOTSTRAP_LOWER_QUANTILE : BOOTSTRAP_UPPER_QUANTILE;
        double middle = side == 0 ? -NORMAL_QUANTILE : NORMAL_QUANTILE; // in standard deviations
        double reach = GUESS_REACH;

        for (; reach > GUESS_PRECISION; reach *= 0.5) {
            double ratio = shape->middle * exp(shape->log_sd * middle);
            double cdf = 0.0, below = 0.0;

            for (size_t i = 0, k = 0; i < a_count; ++i) {
                double limit = ratio * coarse_a[i].value;

                for (; k < b_count && coarse_b[k].value <= limit; ++k) below += coarse_b[k].mass;
                cdf += coarse_a[i].mass * below;
            }
            middle += cdf >= p ? -0.5 * reach : 0.5 * reach;
        }
        shape->guess[side] = shape->middle * exp(shape->log_sd * middle);
    }
}

// Starts at the guess, then steps by the normal density, further each time, until the quantile lies between
// two evaluations.
static void bracket_start(struct bracket *at, const struct support *a, const struct support *b, double p,
                          const struct ratio_shape *shape) {
    double ratio = shape->guess[p < 0.5 ? 0 : 1];
    int first = 0; // which end moved first

    for (int i = 0; i < START_MAX && isfinite(ratio) && at->last == first; ++i) {
        int64_t key = float_order_key(ratio);

        if (key <= at->lo || key >= at->hi) return;
        bracket_try(at, a, b, p, key);
        if (i == 0) first = at->last;
        double miss = at->last > 0 ? at->hi_miss : -at->lo_miss;
        double step = shape->log_sd * fmax(1.5 * miss / NORMAL_DENSITY, GUESS_PRECISION) * (double)(1 << i);
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
                         .hi_pairs = (uint64_t)a->count * b->count,
                         .lo_reach = shape->room,
                         .hi_reach = shape->room + a->count,
                         .spare = shape->room + 2 * a->count};

    for (size_t i = 0; i < a->count; ++i) at.lo_reach[i] = 0;
    for (size_t i = 0; i < a->count; ++i) at.hi_reach[i] = (uint32_t)b->count;
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

void bootstrap_ratio_free(struct bootstrap_ratio_memory *memory) {
    free(memory->base.items);
    free(memory->cand.items);
    *memory = (struct bootstrap_ratio_memory){0};
}

// The caller frees the points.
static int support_make(struct support *s, struct bootstrap_ranks *ranks, const double *sorted, size_t n) {
    struct interval middle = {sorted[n / 4], sorted[n - 1 - n / 4]};
    int rc = ranks_fill(ranks, n);

    if (rc == 0) rc = support_fill(s, ranks, sorted);
    return rc == 0 ? support_sort(s, middle) : rc;
}

int bootstrap_ratio_interval(const double *base, size_t base_count, const double *cand, size_t cand_count,
                             struct bootstrap_ratio_memory *memory, struct interval *out) {
    struct bootstrap_ratio_memory own = {0};
    struct bootstrap_ratio_memory *used = memory != NULL ? memory : &own;
    struct support a = {NULL, 0};
    struct support b = {NULL, 0};
    struct ratio_shape shape = {.room = NULL};

    if (base_count == 0 || !float_order_is_sorted_positive(base, base_count)) return -EINVAL;
    if (cand_count == 0 || !float_order_is_sorted_positive(cand, cand_count)) return -EINVAL;
    int rc = support_make(&a, &used->base, base, base_count);
    if (rc == 0)
        rc = support_make(&b, cand_count == base_count ? &used->base : &used->cand, cand, cand_count);
    if (rc == 0) shape.room = malloc(3 * a.count * sizeof *shape.room);
    if (rc == 0 && shape.room == NULL) rc = -ENOMEM;
    if (rc != 0) goto out;
    struct moments of_base = support_moments(&a, base[base_count / 2]);
    struct moments of_cand = support_moments(&b, cand[cand_count / 2]);
    shape.middle = of_cand.mean / of_base.mean;
    const double base_cv = of_base.sd / of_base.mean, cand_cv = of_cand.sd / of_cand.mean;
    shape.log_sd = sqrt(base_cv * base_cv + cand_cv * cand_cv);
    guess_quantiles(&a, &b, &shape);
    for (size_t k = 1; k < b.count; ++k) b.points[k].mass += b.points[k - 1].mass;
    out->lo = ratio_quantile(&a, &b, BOOTSTRAP_LOWER_QUANTILE, &shape);
    out->hi = ratio_quantile(&a, &b, BOOTSTRAP_UPPER_QUANTILE, &shape);
out:
    free(shape.room);
    free(b.points);
    free(a.points);
    bootstrap_ratio_free(&own);
    return rc;
}
