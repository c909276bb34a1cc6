// SPDX-License-Identifier: Apache-2.0
// What do R rounds say about the ratio of two times?
// Thin on purpose: mean and sd are describe.h's, tails student_t.h's; here are only the hypotheses and their
// directions.
#include "stats/round_stats.h"

#include <errno.h>
#include <math.h>

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
    // From the small tail, which is known to full precision.
    return -student_t_quantile(0.5 * alpha, degrees(rs)) * rs->se;
}

struct interval round_stats_interval(const struct round_stats *rs, double alpha) {
    double half = round_stats_half_width(rs, alpha);

    return (struct interval){.lo = rs->mean - half, .hi = rs->mean + half};
}

// (mean - against) / se, infinite for se = 0 unless the mean is just there.
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

double round_stats_p_equivalent(const struct round_stats *rs, double low, double high) {
    if (!(low < high)) return NAN;
    return fmax(round_stats_p_below(rs, high), round_stats_p_above(rs, low));
}

double round_stats_detectable(const struct round_stats *rs, double alpha, double power) {
    return student_t_detectable(rs->sd, rs->count, alpha, power);
}
