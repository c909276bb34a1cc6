// SPDX-License-Identifier: Apache-2.0
//
// See roofline_axes_internal.h.
#include <math.h>

#include "report/roofline/roofline_axes_internal.h"

#define MARGIN_RATIO 1.6 // between the outermost value and the frame
#define TERA_FROM    1000.0
#define FIVES_UP_TO  2.5 // decades

// Figures of files may be absurd; a plot of 600 decades shows nothing.
static bool has_place(double value) {
    return value > 1e-9 && value < 1e15;
}

bool roofline_draws_point(const struct roofline_point *point, enum memory_level level) {
    return has_place(point->gflop_per_s) && has_place(point->flop_per_byte[level]);
}

static bool draws_level(const struct roofline *roofline, enum memory_level level) {
    if (level == LEVEL_DRAM || !roofline->point_count) return true;
    for (size_t i = 0; i < roofline->point_count; ++i)
        if (roofline_draws_point(&roofline->points[i], level)) return true;
    return false;
}

bool roofline_draws_roof(const struct roofline *roofline, const struct roof *roof) {
    if (!has_place(roof->value)) return false;
    if (roof->is_bandwidth)
        return roof == roofline_bandwidth(roofline, roof->level) && draws_level(roofline, roof->level);
    for (size_t i = 0; i < roofline->point_count; ++i)
        if (roof == roofline_rate(roofline, roofline->points[i].dtype)) return true;
    return !roofline->point_count;
}

double roofline_highest_rate(const struct roofline *roofline) {
    double highest = NAN;
    for (size_t i = 0; i < roofline->roof_count; ++i)
        if (!roofline->roofs[i].is_bandwidth && roofline_draws_roof(roofline, &roofline->roofs[i]))
            highest = fmax(highest, roofline->roofs[i].value);
    return isnan(highest) ? INFINITY : highest;
}

double roofline_ridge(const struct roofline *roofline, const struct roof *roof, enum memory_level level) {
    const struct roof *memory = roofline_bandwidth(roofline, level);
    const bool has_ridge = memory && !roof->is_bandwidth && draws_level(roofline, level);
    return has_ridge && has_place(roof->value / memory->value) ? roof->value / memory->value : NAN;
}

double roofline_rate_begin(const struct roofline *roofline, const struct roof *rate) {
    double highest = NAN;
    for (size_t i = 0; i < roofline->roof_count; ++i)
        if (roofline->roofs[i].is_bandwidth && roofline_draws_roof(roofline, &roofline->roofs[i]))
            highest = fmax(highest, roofline->roofs[i].value);
    return isnan(highest) ? 0 : rate->value / highest;
}

// ---- ranges ----

static void take(struct roofline_axis *axis, double value) {
    if (!has_place(value)) return;
    axis->low = axis->low > 0 ? fmin(axis->low, value) : value;
    axis->high = fmax(axis->high, value);
}

// The nearest of 1, 2, 5 times a power of ten. SAME: what rounding adds to a tick is still that tick.
#define SAME 1e-9
static double at_or_above(double value) {
    const double power = pow(10, floor(log10(value) + SAME)), digits = value / power;
    return power * (digits <= 1 + SAME ? 1 : digits <= 2 + SAME ? 2 : digits <= 5 + SAME ? 5 : 10);
}

static double at_or_below(double value) {
    const double power = pow(10, floor(log10(value) + SAME)), digits = value / power;
    return power * (digits >= 5 - SAME ? 5 : digits >= 2 - SAME ? 2 : 1);
}

static void widen(struct roofline_axis *axis) {
    if (!(axis->low > 0)) return;
    axis->low = at_or_below(axis->low / MARGIN_RATIO);
    axis->high = at_or_above(axis->high * MARGIN_RATIO);
    axis->is_counting_fives = log10(axis->high / axis->low) <= FIVES_UP_TO;
}

struct roofline_axes roofline_axes_make(const struct roofline *roofline) {
    struct roofline_axes axes = {.unit_gflop_per_s = 1, .unit = "GFLOP/s"};
    for (size_t i = 0; i < roofline->roof_count; ++i) {
        const struct roof *roof = &roofline->roofs[i];
        if (roof->is_bandwidth || !roofline_draws_roof(roofline, roof)) continue;
        take(&axes.y, roof->value);
        for (int level = 0; level < LEVEL_COUNT; ++level)
            take(&axes.x, roofline_ridge(roofline, roof, (enum memory_level)level));
    }
    for (size_t i = 0; i < roofline->point_count; ++i)
        for (int level = 0; level < LEVEL_COUNT; ++level) {
            const struct roofline_point *point = &roofline->points[i];
            if (!roofline_draws_point(point, (enum memory_level)level)) continue;
            take(&axes.x, point->flop_per_byte[level]);
            take(&axes.y, point->gflop_per_s);
        }
    if (!(axes.x.low > 0)) return (struct roofline_axes){.unit = ""}; // nothing has a place
    if (axes.y.high >= TERA_FROM) {
        axes.unit_gflop_per_s = TERA_FROM;
        axes.unit = "TFLOP/s";
    }
    axes.y.low /= axes.unit_gflop_per_s;
    axes.y.high /= axes.unit_gflop_per_s;
    widen(&axes.x);
    widen(&axes.y);
    return axes;
}

double roofline_axis_place(const struct roofline_axis *axis, double value) {
    return log(value / axis->low) / log(axis->high / axis->low);
}

double roofline_axis_tick(const struct roofline_axis *axis, double value) {
    return axis->is_counting_fives ? at_or_above(value) : pow(10, ceil(log10(value) - SAME));
}
