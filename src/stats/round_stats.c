// SPDX-License-Identifier: Apache-2.0
//
// Tests and confidence intervals of the mean log ratio of R rounds, and Holm's adjustment. Mean and sd come
// from describe.h, tails from student_t.h.
#include "stats/round_stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "stats/describe.h"
#include "stats/float_order.h"
#include "stats/student_t.h"

double log_to_pct(double log_ratio) {
    return 100.0 * expm1(log_ratio);
}

int round_stats_get(const double *d, size_t count, struct round_stats *out) {
    if (count < 2 || !float_order_is_finite(d, count)) return -EINVAL;
    out->count = count;
    out->mean = describe_mean(d, count);
    out->sd = describe_sd(d, count, out->mean);
    out->se = out->sd / sqrt((double)count);
    return 0;
}

static double degrees(const struct round_stats *rs) {
    return (double)(rs->count - 1);
}

double round_stats_half_width(const struct round_stats *rs, double alpha) {
    if (!(alpha > 0.0 && alpha < 1.0)) return NAN;
    // Computed from the small tail, which has full precision.
    return -student_t_quantile(0.5 * alpha, degrees(rs)) * rs->se;
}

struct interval round_stats_interval(const struct round_stats *rs, double alpha) {
    double half = round_stats_half_width(rs, alpha);

    return (struct interval){.lo = rs->mean - half, .hi = rs->mean + half};
}

// (mean - against) / se; for se = 0 infinite, or 0 if the mean equals `against`.
static double t_against(const struct round_stats *rs, double against) {
    double off = rs->mean - against;

    return off == 0.0 ? 0.0 : off / rs->se;
}

double round_stats_p_two_sided(const struct round_stats *rs) {
    return 2.0 * student_t_sf(fabs(t_against(rs, 0.0)), degrees(rs));
}

double round_stats_p_below(const struct round_stats *rs, double margin) {
    return student_t_cdf(t_against(rs, margin), degrees(rs));
}

double round_stats_p_above(const struct round_stats *rs, double margin) {
    return student_t_sf(t_against(rs, margin), degrees(rs));
}

double round_stats_detectable(const struct round_stats *rs, double alpha, double power) {
    return student_t_detectable(rs->sd, rs->count, alpha, power);
}

struct entry {
    double p;
    size_t index;
};

static int compare_entries(const void *pa, const void *pb) {
    const struct entry *a = pa;
    const struct entry *b = pb;

    if (a->p != b->p) return a->p < b->p ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

int holm_adjust(const double *p, size_t n, double *adjusted) {
    double running = 0.0; // running maximum: adjusted values must not fall as p rises

    for (size_t i = 0; i < n; ++i)
        if (!(p[i] >= 0.0 && p[i] <= 1.0)) return -EINVAL;
    struct entry *entries = calloc(n > 0 ? n : 1, sizeof *entries);
    if (entries == NULL) return -ENOMEM;
    for (size_t i = 0; i < n; ++i) entries[i] = (struct entry){.p = p[i], .index = i};
    qsort(entries, n, sizeof *entries, compare_entries);
    for (size_t i = 0; i < n; ++i) {
        running = fmax(running, fmin(1.0, (double)(n - i) * entries[i].p));
        adjusted[entries[i].index] = running;
    }
    free(entries);
    return 0;
}
