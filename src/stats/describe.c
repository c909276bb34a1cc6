// SPDX-License-Identifier: Apache-2.0
//
// Descriptive statistics of one set of samples. One sort serves median, percentiles, MAD, modes and ranks.
// The figures that need time order are in describe_order().
#include "stats/describe.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/binomial.h"
#include "stats/float_order.h"
#include "stats/student_t.h"

// A gap between neighbours counts as a split between modes from this multiple of the median gap on ...
#define MODE_GAP_RATIO 5.0
// ... with more than this share of the samples on either side ...
#define MODE_SHARE_RATIO 0.1
// ... and from this multiple of the MAD on either side. Without this last condition the widest of a hundred
// gaps of one normal distribution passes three times in four, and of a thousand always.
#define MODE_SPREAD_RATIO 2.0
// When nearly all samples have one of two values there are no gaps to compare with: they are two modes when
// they are at least this share of the value apart, and from this many samples on. Closer ones are ticks of
// a clock.
#define MODE_TIE_RATIO   0.005
#define MODE_TIE_SAMPLES 10

// NumPy's pairwise sum: eight accumulators for blocks of up to 128, halves above. Its order of additions is
// kept so that figures agree with NumPy's to the last bit; the error grows with log n instead of n.
static double sum_pairwise(const double *x, size_t n) {
    if (n < 8) {
        double sum = 0.0;

        for (size_t i = 0; i < n; ++i) sum += x[i];
        return sum;
    }
    if (n <= 128) {
        double r[8];
        size_t i = 8;

        for (size_t k = 0; k < 8; ++k) r[k] = x[k];
        for (; i + 8 <= n; i += 8)
            for (size_t k = 0; k < 8; ++k) r[k] += x[i + k];
        double sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
        for (; i < n; ++i) sum += x[i];
        return sum;
    }
    size_t half = n / 2;
    half -= half % 8;
    return sum_pairwise(x, half) + sum_pairwise(x + half, n - half);
}

// Sum of (x - mean)^2 in the same order as sum_pairwise, without a buffer for the squares.
static double sum_squares(const double *x, size_t n, double mean) {
    double block[128];

    if (n > 128) {
        size_t half = n / 2;

        half -= half % 8;
        return sum_squares(x, half, mean) + sum_squares(x + half, n - half, mean);
    }
    for (size_t i = 0; i < n; ++i) block[i] = (x[i] - mean) * (x[i] - mean);
    return sum_pairwise(block, n);
}

double describe_mean(const double *x, size_t n) {
    if (n == 0) return NAN;
    return sum_pairwise(x, n) / (double)n;
}

double describe_sd(const double *x, size_t n, double mean) {
    if (n < 2) return NAN;
    return sqrt(sum_squares(x, n, mean) / (double)(n - 1));
}

double describe_median(const double *sorted, size_t n) {
    if (n == 0) return NAN;
    if (n % 2 == 1) return sorted[n / 2];
    return 0.5 * (sorted[n / 2 - 1] + sorted[n / 2]);
}

double describe_unsorted_median(double *values, size_t n) {
    float_order_sort(values, n);
    return describe_median(values, n);
}

double describe_percentile(const double *sorted, size_t n, double p) {
    if (n == 0 || !(p >= 0.0 && p <= 1.0)) return NAN;
    double pos = (double)(n - 1) * p;
    size_t below = (size_t)pos;
    if (below + 1 >= n) return sorted[n - 1];
    double share = pos - (double)below;
    double step = sorted[below + 1] - sorted[below];
    // NumPy interpolates from the nearer end.
    if (share >= 0.5) return sorted[below + 1] - step * (1.0 - share);
    return sorted[below] + step * share;
}

double describe_unsorted_percentile(double *values, size_t n, double p) {
    float_order_sort(values, n);
    return describe_percentile(values, n, p);
}

double describe_change_pct(double base_median, double cand_median) {
    return 100.0 * (cand_median - base_median) / base_median;
}

double describe_speedup_ratio(double base_median, double cand_median) {
    return base_median / cand_median;
}

// Deviations from the median fall, then rise along the sorted values: a merge outwards from the median
// yields them in ascending order.
static double mad_of_sorted(const double *sorted, size_t n, double median) {
    size_t below = n / 2; // one past the next value to the left
    size_t above = n / 2;
    double last = 0.0;
    double before = 0.0;

    for (size_t taken = 0; taken <= n / 2; ++taken) {
        before = last;
        double left = below > 0 ? fabs(sorted[below - 1] - median) : INFINITY;
        double right = above < n ? fabs(sorted[above] - median) : INFINITY;
        if (left <= right) {
            last = left;
            --below;
        } else {
            last = right;
            ++above;
        }
    }
    return n % 2 == 1 ? last : 0.5 * (before + last);
}

// How many of the values are below x, without a branch that depends on a comparison.
static size_t count_below(const double *sorted, size_t n, double x) {
    size_t count = 0;

    for (size_t left = n; left > 0;) {
        size_t half = left / 2;

        count += (left - half) * (size_t)(sorted[count + half] < x);
        left = half;
    }
    return count;
}

// Correlation of index with midrank; both means are (n + 1) / 2 and index has variance (n^2 - 1) / 12.
static double spearman_drift(const double *x, const double *sorted, size_t n) {
    double middle = ((double)n + 1.0) / 2.0;
    double cross = 0.0;
    double rank_squares = 0.0;

    for (size_t i = 0; i < n; ++i) {
        size_t below = count_below(sorted, n, x[i]);
        size_t end = below + 1;

        if (end < n && sorted[end] == x[i]) // ties: those below the next double
            end = count_below(sorted, n, float_order_value(float_order_key(x[i]) + 1));
        double rank = ((double)below + 1.0 + (double)end) / 2.0 - middle;

        rank_squares += rank * rank;
        cross += rank * ((double)i + 1.0 - middle);
    }
    double index_squares = (double)n * ((double)n * (double)n - 1.0) / 12.0;
    double rho = cross / sqrt(rank_squares * index_squares);
    return fmax(-1.0, fmin(1.0, rho));
}

static void describe_order(const double *x, const double *sorted, size_t n, struct describe *out) {
    double nd = (double)n;

    out->acf1 = NAN;
    out->effective_count = nd;
    out->drift_rho = NAN;
    out->drift_p = NAN;
    if (n < 3 || sorted[0] == sorted[n - 1]) return;
    double cross = 0.0;
    for (size_t i = 0; i + 1 < n; ++i) cross += (x[i] - out->mean) * (x[i + 1] - out->mean);
    out->acf1 = cross / sum_squares(x, n, out->mean);
    out->effective_count = fmax(1.0, fmin(nd, nd * (1.0 - out->acf1) / (1.0 + out->acf1)));
    out->drift_rho = spearman_drift(x, sorted, n);
    double unexplained = 1.0 - out->drift_rho * out->drift_rho;
    if (unexplained > 0.0)
        out->drift_p = 2.0 * student_t_sf(fabs(out->drift_rho) * sqrt((nd - 2.0) / unexplained), nd - 2.0);
    else
        out->drift_p = 0.0;
}

// Whether the two commonest values alone are the modes; then fills in the mode figures.
static bool find_tied_modes(const double *sorted, size_t n, struct describe *out) {
    size_t counts[2] = {0, 0};
    double values[2] = {NAN, NAN};

    for (size_t i = 0; i < n;) {
        size_t end = i + 1;

        while (end < n && sorted[end] == sorted[i]) ++end;
        size_t at = counts[0] <= counts[1] ? 0 : 1; // the rarer one is replaced
        if (end - i > counts[at]) {
            counts[at] = end - i;
            values[at] = sorted[i];
        }
        i = end;
    }
    double low = fmin(values[0], values[1]);
    double high = fmax(values[0], values[1]);
    double rarer = (double)(counts[0] < counts[1] ? counts[0] : counts[1]);
    bool is_few = n < MODE_TIE_SAMPLES || rarer <= MODE_SHARE_RATIO * (double)n;
    if (is_few || (double)(counts[0] + counts[1]) <= (1.0 - MODE_SHARE_RATIO) * (double)n) return false;
    if (!(high - low > MODE_TIE_RATIO * fabs(high))) return false;
    size_t below = 0;
    out->mode_split = low + 0.5 * (high - low);
    while (below < n && sorted[below] <= out->mode_split) ++below;
    out->mode_count = 2;
    out->mode_upper_ratio = (double)(n - below) / (double)n;
    out->mode_gap_ratio = INFINITY;
    return true;
}

// Ties leave gaps of 0 that say nothing about spacing (a coarse clock would always seem bimodal), so the
// median is taken over the gaps above 0. gaps: room for n.
static void describe_modes(const double *sorted, size_t n, double *gaps, struct describe *out) {
    size_t gap_count = 0;
    size_t widest_at = 0;
    double widest = 0.0;

    out->mode_count = 1;
    out->mode_split = NAN;
    out->mode_upper_ratio = NAN;
    out->mode_gap_ratio = NAN;
    for (size_t i = 1; i < n; ++i) {
        double gap = sorted[i] - sorted[i - 1];
        double share = (double)i / (double)n; // of samples below the gap

        if (gap > 0.0) gaps[gap_count++] = gap;
        if (share > MODE_SHARE_RATIO && 1.0 - share > MODE_SHARE_RATIO && gap > widest) {
            widest = gap;
            widest_at = i;
        }
    }
    if (n < 3 || gap_count == 0 || find_tied_modes(sorted, n, out)) return;
    float_order_sort(gaps, gap_count);
    out->mode_gap_ratio = widest / describe_median(gaps, gap_count);
    if (!(out->mode_gap_ratio > MODE_GAP_RATIO)) return;
    double spread_below = mad_of_sorted(sorted, widest_at, describe_median(sorted, widest_at));
    double spread_above =
        mad_of_sorted(sorted + widest_at, n - widest_at, describe_median(sorted + widest_at, n - widest_at));
    if (!(widest > MODE_SPREAD_RATIO * fmax(spread_below, spread_above))) return;
    out->mode_count = 2;
    out->mode_split = 0.5 * (sorted[widest_at - 1] + sorted[widest_at]);
    out->mode_upper_ratio = (double)(n - widest_at) / (double)n;
}

int describe_samples(const double *x, size_t n, double *sorted, struct describe *out) {
    double *gaps = NULL;

    if (n == 0 || x == NULL || sorted == NULL || out == NULL || !float_order_is_finite(x, n)) return -EINVAL;
    gaps = calloc(n, sizeof *gaps);
    if (gaps == NULL) return -ENOMEM;
    memcpy(sorted, x, n * sizeof *sorted);
    float_order_sort(sorted, n);
    out->n = n;
    out->mean = describe_mean(x, n);
    out->sd = describe_sd(x, n, out->mean);
    out->cv_pct = out->mean != 0.0 ? 100.0 * out->sd / out->mean : NAN;
    describe_order(x, sorted, n, out);
    out->median = describe_median(sorted, n);
    out->min = sorted[0];
    out->max = sorted[n - 1];
    out->p95 = describe_percentile(sorted, n, 0.95);
    out->p99 = describe_percentile(sorted, n, 0.99);
    out->mad = mad_of_sorted(sorted, n, out->median);
    describe_modes(sorted, n, gaps, out);
    free(gaps);
    return 0;
}

bool describe_order_interval(const double *sorted, size_t n, double level, struct order_interval *out) {
    double outside = (1.0 - level) / 2.0; // allowed on each side

    if (n == 0 || !(level > 0.0 && level < 1.0) || !float_order_is_sorted(sorted, n)) return false;
    // x(k) lies above the median with P(Bin(n, 1/2) <= k - 1), which rises with k: the largest k that is
    // allowed.
    size_t rank = 0;
    size_t beyond = (n + 1) / 2 + 1;
    while (beyond - rank > 1) {
        size_t k = rank + (beyond - rank) / 2;

        if (binomial_tail(n, 0.5, k).below <= outside)
            rank = k;
        else
            beyond = k;
    }
    if (rank == 0) return false;
    out->rank_lo = rank;
    out->rank_hi = n + 1 - rank;
    out->coverage = 1.0 - 2.0 * binomial_tail(n, 0.5, rank).below;
    out->at = (struct interval){.lo = sorted[rank - 1], .hi = sorted[n - rank]};
    return true;
}

bool describe_percentile_bound(const double *sorted, size_t n, double p, double level, double *bound) {
    if (!(p > 0.0 && p < 1.0) || !(level > 0.0 && level < 1.0) || !float_order_is_sorted(sorted, n))
        return false;
    if (n < describe_percentile_bound_count(p, level)) return false;
    // x(k) lies above the percentile with P(Bin(n, p) <= k - 1), which rises with k and suffices at k = n.
    size_t lo = 0; // is too small
    size_t hi = n;
    while (hi - lo > 1) {
        size_t k = lo + (hi - lo) / 2;

        if (binomial_tail(n, p, k).below >= level)
            hi = k;
        else
            lo = k;
    }
    *bound = sorted[hi - 1];
    return true;
}

size_t describe_percentile_bound_count(double p, double level) {
    if (!(p > 0.0 && p < 1.0) || !(level > 0.0 && level < 1.0)) return 0;
    // The maximum lies below the percentile with p^n; it must be no more than 1 - level.
    return (size_t)ceil(log1p(-level) / log(p));
}
