// SPDX-License-Identifier: Apache-2.0
//
// The range that a plot shows and the width of its bins: the bulk of the samples (all but 2 % at either end)
// and what lies near it; bins of Freedman and Diaconis (1981) within limits, rounded up to 1, 2 or 5.
#include <math.h>
#include <stdbool.h>

#include "report/samples/sample_internal.h"
#include "stats/describe.h"

#define TAIL_SHARE      50  // below and above the bulk: one sample in 50 each ...
#define TAIL_FROM       5   // ... and at least one, from 5 samples on
#define SLACK_RATIO     1.0 // samples within this many widths of the bulk are shown ...
#define SLACK_FEW       3.0 // ... more widths if there are few samples, whose bulk may be narrow by chance
#define FEW_SAMPLES     20
#define BINS_WANTED_MIN 8
#define BINS_WANTED_MAX 16
#define TICKS_MAX       64 // bins follow a coarse clock if the range has at most so many ticks

static void choose_range(const double *x, size_t n, struct sample_axis *ret) {
    size_t tail = n >= TAIL_SHARE ? n / TAIL_SHARE : n >= TAIL_FROM ? 1 : 0;
    double low = x[tail], high = x[n - 1 - tail];
    double slack = (n < FEW_SAMPLES ? SLACK_FEW : SLACK_RATIO) * (high - low);
    size_t first = 0, last = n - 1;
    while (x[first] < low - slack) ++first;
    while (x[last] > high + slack) --last;
    ret->low_ns = x[first];
    ret->high_ns = x[last];
}

// The tick of a coarse clock: the smallest gap between values, if every value shown lies a whole number of
// gaps above the lowest; else 0.
static double find_tick(const double *x, size_t n, const struct sample_axis *axis) {
    double tick = 0, origin = NAN, range = axis->high_ns - axis->low_ns;
    for (size_t i = 1; i < n; ++i) {
        double gap = x[i] - x[i - 1];
        bool is_shown = x[i - 1] >= axis->low_ns && x[i] <= axis->high_ns;
        if (is_shown && gap > 0 && (tick == 0 || gap < tick)) tick = gap;
    }
    if (tick == 0 || range > TICKS_MAX * tick) return 0;
    for (size_t i = 0; i < n; ++i) {
        if (x[i] < axis->low_ns || x[i] > axis->high_ns) continue;
        if (isnan(origin)) origin = x[i];
        double ticks = (x[i] - origin) / tick;
        if (fabs(ticks - round(ticks)) > 0.01) return 0;
    }
    return tick;
}

struct sample_axis sample_axis_make(const double *sorted_ns, size_t n) {
    struct sample_axis axis = {.bin_count = 1};
    choose_range(sorted_ns, n, &axis);
    axis.first_ns = axis.low_ns;
    double range = axis.high_ns - axis.low_ns;
    if (!(range > 0)) return axis;
    const double spread = describe_percentile(sorted_ns, n, 0.75) - describe_percentile(sorted_ns, n, 0.25);
    const double wanted =
        range / (2 * spread / cbrt((double)n)); // infinite when half of the values are equal
    const double bins = fmin(fmax(wanted, fmin(BINS_WANTED_MIN, (double)n)), BINS_WANTED_MAX);
    const double power = pow(10, floor(log10(range / bins)));
    const double digits = range / bins / power;
    axis.step_ns = power * (digits <= 1.0001 ? 1 : digits <= 2.0001 ? 2 : digits <= 5.0001 ? 5 : 10);
    double tick = find_tick(sorted_ns, n, &axis);
    if (tick > 0) { // equal ticks in all bins: bins of two and of three would look like modes
        axis.step_ns = tick * ceil(axis.step_ns / tick - 0.01);
        axis.label_ns = tick / 2; // so that a bin is labelled with the first time in it
        axis.first_ns = axis.low_ns - axis.label_ns;
    } else {
        axis.first_ns = axis.step_ns * floor(axis.low_ns / axis.step_ns);
    }
    axis.bin_count =
        (size_t)fmin((axis.high_ns - axis.first_ns) / axis.step_ns, SAMPLE_AXIS_BINS_MAX - 1) + 1;
    return axis;
}

size_t sample_axis_bin(const struct sample_axis *axis, double ns) {
    if (!(axis->step_ns > 0) || !(ns > axis->first_ns)) return 0;
    double bin = (ns - axis->first_ns) / axis->step_ns;
    return bin < (double)axis->bin_count ? (size_t)bin : axis->bin_count - 1;
}

int sample_axis_side(const struct sample_axis *axis, double ns) {
    return ns < axis->low_ns ? -1 : ns > axis->high_ns;
}
