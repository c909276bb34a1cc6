// SPDX-License-Identifier: Apache-2.0
//
// See change_point.h. Inside, gaps are left out; `places` are indices of values that begin a segment.
#include "stats/change_point.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "stats/describe.h"
#include "stats/energy_split.h"
#include "stats/student_t.h"

#define NEIGHBOURS 5     // values whose median a value is held against: three of them make a level
#define OUTLIER_SD 4.0   // further out is drawn in
#define ROUNDING   1e-14 // of a mean, relative: some ulp
// A normal standard deviation from the median of the absolute differences of neighbours: 1 / (sqrt(2)
// 0.6745).
#define DIFFERENCE_SD 1.0483580

struct change_point_options change_point_options_default(void) {
    return (struct change_point_options){.max_p = 0.001,
                                         .max_weak_p = 0.05,
                                         .min_change = 0.01,
                                         .level = 0.95,
                                         .min_segment = 3,
                                         .window = 200};
}

// The series without gaps, and the places found so far.
struct finder {
    const struct change_point_options *options;
    size_t count;
    double *values;    // outliers drawn in
    bool *is_outlier;  // it was
    double *variances; // known ones of the values; 0: not known
    size_t *origins;   // index in the series as given
    double *scratch;   // 2 count
    double *work;      // count
    size_t *places;    // ascending, place_count of them; room for count
    size_t place_count;
    double lag1;
};

// ---- the series ----

static bool is_possible(const struct change_series *series, const struct change_point_options *options) {
    for (size_t i = 0; i < series->count; ++i) {
        if (isinf(series->values[i])) return false;
        if (series->standard_errors && (series->standard_errors[i] < 0 || isinf(series->standard_errors[i])))
            return false;
    }
    return options->min_segment >= 2 && options->window >= 2 * options->min_segment && options->max_p > 0 &&
           options->max_p < 1 && options->max_weak_p > 0 && options->max_weak_p < 1 &&
           options->min_change >= 0 && options->level > 0 && options->level < 1;
}

static int finder_make(struct finder *finder, const struct change_series *series) {
    const size_t room = series->count ? series->count : 1;
    finder->values = calloc(room, sizeof *finder->values);
    finder->is_outlier = calloc(room, sizeof *finder->is_outlier);
    finder->variances = calloc(room, sizeof *finder->variances);
    finder->origins = calloc(room, sizeof *finder->origins);
    finder->scratch = calloc(2 * room, sizeof *finder->scratch);
    finder->work = calloc(room, sizeof *finder->work);
    finder->places = calloc(room, sizeof *finder->places);
    if (!finder->values || !finder->is_outlier || !finder->variances || !finder->origins ||
        !finder->scratch || !finder->work || !finder->places)
        return -ENOMEM;
    for (size_t i = 0; i < series->count; ++i) {
        if (isnan(series->values[i])) continue;
        const double se = series->standard_errors ? series->standard_errors[i] : NAN;
        finder->values[finder->count] = series->values[i];
        finder->variances[finder->count] = isnan(se) ? 0.0 : se * se;
        finder->origins[finder->count++] = i;
    }
    return 0;
}

static void finder_free(struct finder *finder) {
    free(finder->values);
    free(finder->is_outlier);
    free(finder->variances);
    free(finder->origins);
    free(finder->scratch);
    free(finder->work);
    free(finder->places);
}

// Of the noise, whatever steps the series has: steps are few among the differences of neighbours.
static double noise_sd(struct finder *finder) {
    double variance = 0.0;
    for (size_t i = 0; i < finder->count; ++i) variance += finder->variances[i] / (double)finder->count;
    for (size_t i = 1; i < finder->count; ++i)
        finder->work[i - 1] = fabs(finder->values[i] - finder->values[i - 1]);
    const double median = describe_unsorted_median(finder->work, finder->count - 1);
    return fmax(DIFFERENCE_SD * median, sqrt(variance));
}

// Three of five neighbours make a level, one or two an outlier.
static void draw_outliers_in(struct finder *finder) {
    const size_t count = finder->count;
    if (count < NEIGHBOURS) return;
    const double most = OUTLIER_SD * noise_sd(finder);
    for (size_t i = 0; i < count; ++i) {
        size_t first = i < NEIGHBOURS / 2 ? 0 : i - NEIGHBOURS / 2;
        if (first + NEIGHBOURS > count) first = count - NEIGHBOURS;
        double near[NEIGHBOURS];
        memcpy(near, finder->values + first, sizeof near);
        const double median = describe_unsorted_median(near, NEIGHBOURS);
        finder->work[i] = fmin(fmax(finder->values[i], median - most), median + most);
        finder->is_outlier[i] = finder->work[i] != finder->values[i];
    }
    memcpy(finder->values, finder->work, count * sizeof *finder->values);
}

// ---- the test of one place ----

struct part {
    double count, mean, squares, known; // squares: about the mean; known: mean of the known variances
};

static struct part part_of(const struct finder *finder, size_t begin, size_t end) {
    struct part part = {.count = (double)(end - begin)};
    part.mean = describe_mean(finder->values + begin, end - begin);
    for (size_t i = begin; i < end; ++i) {
        const double off = finder->values[i] - part.mean;
        part.squares += off * off;
        part.known += finder->variances[i] / part.count;
    }
    return part;
}

struct step {
    double change, se, df, p; // p: of this place alone
};

// Student's test. Its standard error is the larger of the pooled and Welch's: a short segment of wide spread
// is not taken for a level. lag1 lowers the number of values that count.
static struct step step_test(const struct finder *finder, size_t begin, size_t place, size_t end,
                             double lag1) {
    const struct part left = part_of(finder, begin, place), right = part_of(finder, place, end);
    const double inflation = (1.0 + lag1) / (1.0 - lag1), both = left.count + right.count;
    const double known = (left.count * left.known + right.count * right.known) / both;
    const double pooled = fmax((left.squares + right.squares) / (both - 2.0), known);
    const double left_variance = fmax(left.squares / (left.count - 1.0), left.known),
                 right_variance = fmax(right.squares / (right.count - 1.0), right.known);
    const double variance = fmax(pooled * (1.0 / left.count + 1.0 / right.count),
                                 left_variance / left.count + right_variance / right.count);
    struct step step = {.change = right.mean - left.mean,
                        .se = sqrt(variance * inflation),
                        .df = fmax(1.0, both / inflation - 2.0)};
    const double t = step.change == 0.0 ? 0.0 : fabs(step.change) / step.se; // infinite where nothing spreads
    step.p = fmin(1.0, 2.0 * student_t_sf(t, step.df));
    return step;
}

// ---- weak change points ----

static void add_place(struct finder *finder, size_t place) {
    size_t at = finder->place_count;
    while (at > 0 && finder->places[at - 1] > place) --at;
    if (at > 0 && finder->places[at - 1] == place) return;
    memmove(finder->places + at + 1, finder->places + at,
            (finder->place_count - at) * sizeof *finder->places);
    finder->places[at] = place;
    ++finder->place_count;
}

// Splits values[begin..end) again and again; returns the last place found, or begin.
static size_t split(struct finder *finder, size_t begin, size_t end) {
    const size_t least = finder->options->min_segment;
    if (end - begin < 2 * least) return begin;
    struct energy_split best = energy_split_best(finder->values + begin, end - begin, least, finder->scratch);
    const size_t place = begin + best.place;
    const struct step step = step_test(finder, begin, place, begin + best.until, 0.0);
    if (step.p > finder->options->max_weak_p) return begin;
    split(finder, begin, place);
    add_place(finder, place);
    return split(finder, place, end);
}

static void split_windows(struct finder *finder) {
    const size_t window = finder->options->window;
    for (size_t begin = 0; begin < finder->count;) {
        const size_t end = begin + window < finder->count ? begin + window : finder->count;
        const size_t last = split(finder, begin, end);
        if (end == finder->count) break;
        begin = last > begin + window / 2 ? last : begin + window / 2;
    }
}

// ---- the merge ----

static size_t segment_begin(const struct finder *finder, size_t segment) {
    return segment == 0 ? 0 : finder->places[segment - 1];
}

static size_t segment_end(const struct finder *finder, size_t segment) {
    return segment == finder->place_count ? finder->count : finder->places[segment];
}

// Of equal values the mean may be an ulp beside them: that is no deviation, and has no correlation.
static double off_mean(double value, double mean) {
    const double off = value - mean;
    return fabs(off) <= ROUNDING * fabs(mean) ? 0.0 : off;
}

static double mean_without_outliers(const struct finder *finder, size_t begin, size_t end) {
    size_t count = 0;
    for (size_t i = begin; i < end; ++i)
        if (!finder->is_outlier[i]) finder->work[count++] = finder->values[i];
    return describe_mean(finder->work, count); // NaN of none, where nothing is asked either
}

// Lag-1 autocorrelation of what is left after the segments' means, without outliers: two in a row are no
// memory of the series, and would hide a step for as long as they are there. An estimate r within a segment
// of n values is about (1 + 3 r) / n too low (Marriott and Pope, Biometrika 41, 1954, to first order), which
// is added.
static double segments_lag1(const struct finder *finder) {
    double products = 0.0, squares = 0.0;
    for (size_t s = 0; s <= finder->place_count; ++s) {
        const size_t begin = segment_begin(finder, s), end = segment_end(finder, s);
        const double mean = mean_without_outliers(finder, begin, end);
        for (size_t i = begin; i < end; ++i) {
            const double off = off_mean(finder->values[i], mean);
            if (finder->is_outlier[i]) continue;
            squares += off * off;
            if (i > begin && !finder->is_outlier[i - 1])
                products += off * off_mean(finder->values[i - 1], mean);
        }
    }
    if (finder->count < 3 || squares == 0.0) return NAN;
    const double seen = products / squares,
                 per_value = (double)(finder->place_count + 1) / (double)finder->count;
    return seen + (1.0 + 3.0 * fmax(seen, 0.0)) * per_value;
}

// How many places the windows could have chosen.
static double place_choices(const struct finder *finder) {
    const double count = (double)finder->count;
    return count > (double)finder->options->window ? 2.0 * count : count;
}

static struct step place_test(const struct finder *finder, size_t index) {
    const size_t begin = segment_begin(finder, index), place = finder->places[index],
                 end = segment_end(finder, index + 1), least = finder->options->min_segment;
    if (place - begin < least || end - place < least) return (struct step){.p = 1.0};
    const double lag1 = isnan(finder->lag1) ? 0.0 : fmin(fmax(finder->lag1, 0.0), 0.95);
    struct step step = step_test(finder, begin, place, end, lag1);
    step.p = fmin(1.0, step.p * place_choices(finder));
    return step;
}

// The place to go next: the one with the largest p, else the smallest change; place_count: all of them hold.
static size_t find_weakest(const struct finder *finder) {
    size_t by_p = 0, by_change = 0;
    double most_p = -1.0, least_change = INFINITY;
    for (size_t i = 0; i < finder->place_count; ++i) {
        const struct step step = place_test(finder, i);
        if (step.p > most_p) most_p = step.p, by_p = i;
        if (fabs(step.change) < least_change) least_change = fabs(step.change), by_change = i;
    }
    if (most_p > finder->options->max_p) return by_p;
    return least_change < finder->options->min_change ? by_change : finder->place_count;
}

static void merge(struct finder *finder) {
    for (;;) {
        finder->lag1 = segments_lag1(finder);
        const size_t weakest = find_weakest(finder);
        if (weakest >= finder->place_count) return;
        --finder->place_count;
        memmove(finder->places + weakest, finder->places + weakest + 1,
                (finder->place_count - weakest) * sizeof *finder->places);
    }
}

// ---- the answer ----

static struct change_point point_of(const struct finder *finder, size_t index) {
    const struct step step = place_test(finder, index);
    const double half = -student_t_quantile(0.5 * (1.0 - finder->options->level), step.df) * step.se;
    const size_t place = finder->places[index];
    return (struct change_point){
        .before = finder->origins[place - 1],
        .after = finder->origins[place],
        .log_change = step.change,
        .interval = {.lo = step.change - half, .hi = step.change + half},
        .p = step.p,
    };
}

static struct change_segment segment_of(const struct finder *finder, size_t index) {
    const size_t begin = segment_begin(finder, index), end = segment_end(finder, index);
    const double mean = describe_mean(finder->values + begin, end - begin);
    return (struct change_segment){
        .begin = finder->origins[begin],
        .end = finder->origins[end - 1] + 1,
        .count = end - begin,
        .mean = mean,
        .sd = describe_sd(finder->values + begin, end - begin, mean),
    };
}

static int fill(const struct finder *finder, struct change_points *ret) {
    struct change_points found = {.count = finder->place_count, .lag1 = finder->lag1};
    found.points = calloc(finder->place_count + 1, sizeof *found.points);
    found.segments = calloc(finder->place_count + 1, sizeof *found.segments);
    if (!found.points || !found.segments) {
        change_points_free(&found);
        return -ENOMEM;
    }
    for (size_t i = 0; i < finder->place_count; ++i) found.points[i] = point_of(finder, i);
    for (size_t i = 0; finder->count && i <= finder->place_count; ++i)
        found.segments[i] = segment_of(finder, i);
    *ret = found;
    return 0;
}

int change_points_find(const struct change_series *series, const struct change_point_options *options,
                       struct change_points *ret) {
    struct finder finder = {.options = options, .lag1 = NAN};
    if (!is_possible(series, options)) return -EINVAL;
    int code = finder_make(&finder, series);
    if (code == 0) {
        draw_outliers_in(&finder);
        split_windows(&finder);
        merge(&finder);
        code = fill(&finder, ret);
    }
    finder_free(&finder);
    return code;
}

void change_points_free(struct change_points *points) {
    free(points->points);
    free(points->segments);
    *points = (struct change_points){0};
}
