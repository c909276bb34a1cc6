// SPDX-License-Identifier: Apache-2.0
//
// See series.h.
#include "store/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "stats/change_point.h"
#include "stats/describe.h"

#define SIGMAS_OF_95_PCT 1.959963984540054 // half the width of a 95 % interval, in standard errors

// A result and its place among all.
struct placed {
    const struct stored_result *result;
    size_t place;
};

static int compare_texts(const char *a, const char *b) {
    return strcmp(str_or(a, ""), str_or(b, ""));
}

int series_compare_runs(const struct stored_run *a, const struct stored_run *b) {
    int order = compare_texts(a->metric, b->metric);
    if (!order) order = compare_texts(a->device_uuid, b->device_uuid);
    return order ? order : compare_texts(a->driver, b->driver);
}

static int compare_series(const struct stored_result *a, const struct stored_result *b) {
    int order = compare_texts(a->problem, b->problem);
    if (!order) order = compare_texts(a->side, b->side);
    return order ? order : series_compare_runs(&a->run, &b->run);
}

static int by_series(const void *left, const void *right) {
    const struct placed *a = left, *b = right;
    const int order = compare_series(a->result, b->result);
    return order ? order : (a->place > b->place) - (a->place < b->place);
}

static double log_of(double time_ns) {
    return time_ns > 0 && isfinite(time_ns) ? log(time_ns) : NAN;
}

// Of the logarithm of the median.
static double standard_error_of(const struct series_point *one) {
    if (!(one->low_ns > 0) || !(one->high_ns >= one->low_ns) || !isfinite(one->high_ns)) return NAN;
    return log(one->high_ns / one->low_ns) / 2 / SIGMAS_OF_95_PCT;
}

static double pct_of(double log_ratio) {
    return 100 * expm1(log_ratio);
}

// Of the points between two changes, as measured. work: room for them.
static double level_median_ns(const struct series_point *points, size_t begin, size_t end, double *work) {
    size_t count = 0;
    for (size_t i = begin; i < end; ++i)
        if (isfinite(log_of(points[i].median_ns))) work[count++] = points[i].median_ns;
    return count ? describe_unsorted_median(work, count) : NAN;
}

// Of the level that begins with a change, counted from 1; 0: with the series.
static double nth_level_ns(const struct series_point *points, size_t count,
                           const struct change_points *changes, size_t level, double *work) {
    const size_t begin = level ? changes->points[level - 1].after : 0;
    const size_t end = level < changes->count ? changes->points[level].after : count;
    return level_median_ns(points, begin, end, work);
}

static void add_changes(const struct series_point *points, size_t count, const struct change_points *changes,
                        double *work, struct series_found *found) {
    MEM_GROW(found->items, found->capacity, found->count + changes->count);
    for (size_t i = 0; i < changes->count; ++i) {
        const struct change_point *one = &changes->points[i];
        found->items[found->count++] =
            (struct series_change){.before = points[one->before].place,
                                   .after = points[one->after].place,
                                   .median_before_ns = nth_level_ns(points, count, changes, i, work),
                                   .median_after_ns = nth_level_ns(points, count, changes, i + 1, work),
                                   .change_pct = pct_of(one->log_change),
                                   .low_pct = pct_of(one->interval.lo),
                                   .high_pct = pct_of(one->interval.hi),
                                   .p = one->p};
    }
}

int series_find_in(const struct series_point *points, size_t count, struct series_found *found,
                   struct err *err) {
    const struct change_point_options options = change_point_options_default();
    struct change_points changes = {0};
    double *values = mem_alloc((count + 1) * sizeof *values),
           *errors = mem_alloc((count + 1) * sizeof *errors);
    for (size_t i = 0; i < count; ++i) {
        values[i] = log_of(points[i].median_ns);
        errors[i] = standard_error_of(&points[i]);
    }
    const struct change_series all = {.values = values, .standard_errors = errors, .count = count};
    const int code = change_points_find(&all, &options, &changes);
    if (code == 0 && changes.count) add_changes(points, count, &changes, values, found);
    change_points_free(&changes);
    free(values);
    free(errors);
    return code < 0 ? err_set(err, ERR_INTERNAL, "no memory for the change points") : 0;
}

static int by_place(const void *left, const void *right) {
    const struct series_change *a = left, *b = right;
    return (a->after > b->after) - (a->after < b->after);
}

// Each series in turn. placed: sorted by series.
static int find_in_all(const struct placed *placed, size_t count, struct series_found *found,
                       struct err *err) {
    struct series_point *points = mem_alloc((count + 1) * sizeof *points);
    int code = 0;
    for (size_t i = 0; i < count; ++i)
        points[i] = (struct series_point){.place = placed[i].place,
                                          .median_ns = placed[i].result->median_ns,
                                          .low_ns = placed[i].result->low_ns,
                                          .high_ns = placed[i].result->high_ns};
    for (size_t begin = 0, end; begin < count && code == 0; begin = end) {
        for (end = begin + 1; end < count && !compare_series(placed[begin].result, placed[end].result);)
            ++end;
        code = series_find_in(&points[begin], end - begin, found, err);
    }
    free(points);
    return code;
}

int series_find_changes(const struct stored_result *results, size_t count, struct arena *arena,
                        struct series_change **ret, size_t *ret_count, struct err *err) {
    struct placed *placed = mem_alloc((count + 1) * sizeof *placed);
    struct series_found found = {.items = NULL};
    for (size_t i = 0; i < count; ++i) placed[i] = (struct placed){&results[i], i};
    qsort(placed, count, sizeof *placed, by_series);
    const int code = find_in_all(placed, count, &found, err);
    if (code == 0) {
        *ret = arena_array(arena, found.count + 1, sizeof **ret);
        *ret_count = found.count;
        if (found.count) memcpy(*ret, found.items, found.count * sizeof **ret);
        qsort(*ret, *ret_count, sizeof **ret, by_place);
    }
    free(placed);
    free(found.items);
    return code;
}
