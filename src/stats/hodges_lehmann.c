// SPDX-License-Identifier: Apache-2.0
//
// Hodges-Lehmann estimates of a shift and of a centre. Differences and averages of sorted values form a
// matrix sorted along rows and columns (rounding is monotone), so that two pointers count how many are at
// most t in linear time. A few counts leave a range with few of them, which are sorted; a bisection over the
// ordered bit patterns does the rest, which is all of the work when very many are equal.
#include "stats/hodges_lehmann.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "stats/float_order.h"
#include "stats/student_t.h"

// Differences that are sorted to find one of them.
#define LEFT_MAX 128

// Two sets (base given), or one set against itself (base NULL: Walsh averages).
struct pairing {
    const double *base;
    size_t base_count;
    const double *cand;
    size_t cand_count;
};

// How many differences cand - base, or averages of x(i) and x(j), i <= j, are at most t.
static uint64_t count_up_to(const struct pairing *pr, double t) {
    uint64_t count = 0;

    if (pr->base != NULL) {
        size_t i = 0; // baseline values skipped: too small for this candidate value

        for (size_t j = 0; j < pr->cand_count; ++j) {
            while (i < pr->base_count && !(pr->cand[j] - pr->base[i] <= t)) ++i;
            count += pr->base_count - i;
        }
        return count;
    }
    size_t end = pr->cand_count; // partners x(i) .. x(end - 1) keep the average at or below t
    for (size_t i = 0; i < pr->cand_count; ++i) {
        while (end > i && !(0.5 * (pr->cand[i] + pr->cand[end - 1]) <= t)) --end;
        if (end <= i) break;
        count += end - i;
    }
    return count;
}

// Keys with how many are at most their value; the k-th smallest lies in (lo, hi].
struct range {
    int64_t lo, hi;
    uint64_t lo_count, hi_count;
};

static void range_try(const struct pairing *pr, struct range *range, uint64_t k, int64_t key) {
    uint64_t count = count_up_to(pr, float_order_value(key));

    if (count >= k) {
        range->hi = key;
        range->hi_count = count;
    } else {
        range->lo = key;
        range->lo_count = count;
    }
}

// The k-th of two sets, among the few differences left in a range.
static double range_select(const struct pairing *pr, const struct range *range, uint64_t k) {
    double lo = float_order_value(range->lo), hi = float_order_value(range->hi);
    double left[LEFT_MAX];
    size_t count = 0, i = 0;

    for (size_t j = 0; j < pr->cand_count; ++j) {
        while (i < pr->base_count && !(pr->cand[j] - pr->base[i] <= hi)) ++i;
        for (size_t at = i; at < pr->base_count && count < LEFT_MAX && pr->cand[j] - pr->base[at] > lo; ++at)
            left[count++] = pr->cand[j] - pr->base[at];
    }
    float_order_sort(left, count);
    return left[k - range->lo_count - 1] + 0.0; // no -0
}

// The k-th smallest, k from 1. Values between both ends are tried where a straight line would have it, and
// one in three in the middle of the keys.
static double kth(const struct pairing *pr, uint64_t k) {
    const double *last = pr->cand + pr->cand_count - 1;
    double min = pr->base != NULL ? pr->cand[0] - pr->base[pr->base_count - 1] : pr->cand[0];
    double max = pr->base != NULL ? *last - pr->base[0] : *last;
    struct range range = {.lo = float_order_key(min) - 1,
                          .hi = float_order_key(max),
                          .hi_count = (uint64_t)pr->base_count * pr->cand_count};

    for (int i = 1; float_order_has_between(range.lo, range.hi); ++i) {
        int64_t key = float_order_mid(range.lo, range.hi);

        if (pr->base != NULL && range.hi_count - range.lo_count <= LEFT_MAX)
            return range_select(pr, &range, k);
        if (pr->base != NULL && i % 3 != 0) {
            double lo = float_order_value(range.lo), hi = float_order_value(range.hi);
            double share = ((double)(k - range.lo_count) - 0.5) / (double)(range.hi_count - range.lo_count);
            int64_t guess = float_order_key(lo + share * (hi - lo));

            if (guess > range.lo && guess < range.hi) key = guess;
        }
        range_try(pr, &range, k, key);
    }
    return float_order_value(range.hi);
}

static double kth_median(const struct pairing *pr, uint64_t count) {
    double lower = kth(pr, (count + 1) / 2);

    return count % 2 == 1 ? lower : 0.5 * (lower + kth(pr, count / 2 + 1));
}

int hodges_lehmann_shift(const double *base, size_t base_count, const double *cand, size_t cand_count,
                         double level, struct hodges_lehmann *out) {
    struct pairing pr = {base, base_count, cand, cand_count};

    if (base_count == 0 || base_count > INT32_MAX || !float_order_is_sorted(base, base_count)) return -EINVAL;
    if (cand_count == 0 || cand_count > INT32_MAX || !float_order_is_sorted(cand, cand_count)) return -EINVAL;
    if (!(level > 0.0 && level < 1.0)) return -EINVAL;
    uint64_t count = (uint64_t)base_count * cand_count;
    double all = (double)base_count + (double)cand_count;
    double z = normal_quantile(0.5 + 0.5 * level);
    double k = floor((double)count / 2.0 - z * sqrt((double)count * (all + 1.0) / 12.0));
    out->k = k >= 1.0 ? (uint64_t)k : 1;
    out->estimate = kth_median(&pr, count);
    out->limits.lo = kth(&pr, out->k);
    out->limits.hi = kth(&pr, count + 1 - out->k);
    return 0;
}

int hodges_lehmann_log_ratio(const double *base, size_t base_count, const double *cand, size_t cand_count,
                             double level, struct hodges_lehmann *out) {
    if (base_count == 0 || !float_order_is_sorted_positive(base, base_count)) return -EINVAL;
    if (cand_count == 0 || !float_order_is_sorted_positive(cand, cand_count)) return -EINVAL;
    double *logs = calloc(base_count + cand_count, sizeof *logs);
    if (logs == NULL) return -ENOMEM;
    for (size_t i = 0; i < base_count; ++i) logs[i] = log(base[i]);
    for (size_t j = 0; j < cand_count; ++j) logs[base_count + j] = log(cand[j]);
    int rc = hodges_lehmann_shift(logs, base_count, logs + base_count, cand_count, level, out);
    free(logs);
    return rc;
}

int wilcoxon_limit_rank(size_t n, double level, uint64_t *k) {
    double outside = (1.0 - level) / 2.0;

    if (n == 0 || n > INT32_MAX || !(level > 0.0 && level < 1.0)) return -EINVAL;
    if (n > WILCOXON_EXACT_MAX) {
        double nd = (double)n;
        double z = normal_quantile(1.0 - outside);

        *k = (uint64_t)floor(nd * (nd + 1.0) / 4.0 - z * sqrt(nd * (nd + 1.0) * (2.0 * nd + 1.0) / 24.0));
        return 0;
    }
    // P(W+ = w) for w = 0 .. n(n+1)/2: each rank is in the sum with probability 1/2.
    size_t top = n * (n + 1) / 2;
    double *p = calloc(top + 1, sizeof *p);
    if (p == NULL) return -ENOMEM;
    p[0] = 1.0;
    for (size_t rank = 1, last = 0; rank <= n; ++rank) {
        last += rank;
        for (size_t w = last + 1; w-- > 0;) p[w] = 0.5 * p[w] + (w >= rank ? 0.5 * p[w - rank] : 0.0);
    }
    double below = 0.0;
    uint64_t limit = 0;
    for (; limit <= top; ++limit) {
        below += p[limit];
        if (!(below <= outside)) break;
    }
    *k = limit;
    free(p);
    return 0;
}

int hodges_lehmann_walsh(const double *sorted, size_t n, double level, struct hodges_lehmann *out) {
    struct pairing pr = {NULL, 0, sorted, n};
    uint64_t count = (uint64_t)n * (n + 1) / 2;
    uint64_t k = 0;

    if (n == 0 || n > INT32_MAX || !float_order_is_sorted(sorted, n)) return -EINVAL;
    int rc = wilcoxon_limit_rank(n, level, &k);
    if (rc != 0) return rc;
    out->estimate = kth_median(&pr, count);
    out->k = k;
    out->limits.lo = k > 0 ? kth(&pr, k) : NAN;
    out->limits.hi = k > 0 ? kth(&pr, count + 1 - k) : NAN;
    return 0;
}
