// SPDX-License-Identifier: Apache-2.0
//
// See series.h.
#include "store/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "stats/change_point.h"

#define SIGMAS_OF_95_PCT 1.959963984540054 // half the width of a 95 % interval, in standard errors

// A result and its place among all.
struct placed {
    const struct stored_result *result;
    size_t place;
};

static int compare_texts(const char *a, const char *b) {
    return strcmp(str_or(a, ""), str_or(b, ""));
}

static int compare_series(const struct stored_result *a, const struct stored_result *b) {
    int order = compare_texts(a->problem, b->problem);
    if (!order) order = compare_texts(a->side, b->side);
    if (!order) order = compare_texts(a->run.metric, b->run.metric);
    if (!order) order = compare_texts(a->run.device_uuid, b->run.device_uuid);
    return order ? order : compare_texts(a->run.driver, b->run.driver);
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
static double standard_error_of(const struct stored_result *one) {
    if (!(one->low_ns > 0) || !(one->high_ns >= one->low_ns) || !isfinite(one->high_ns)) return NAN;
    return log(one->high_ns / one->low_ns) / 2 / SIGMAS_OF_95_PCT;
}

static double pct_of(double log_ratio) {
    return 100 * expm1(log_ratio);
}

struct found {
    struct series_change *items;
    size_t count;
};

static int find_in_series(const struct placed *series, size_t count, double *values, double *errors,
                          struct found *found) {
    const struct change_point_options options = change_point_options_default();
    struct change_points points = {0};
    for (size_t i = 0; i < count; ++i) {
        values[i] = log_of(series[i].result->median_ns);
        errors[i] = standard_error_of(series[i].result);
    }
    const struct change_series all = {.values = values, .standard_errors = errors, .count = count};
    const int code = change_points_find(&all, &options, &points);
    for (size_t i = 0; code == 0 && i < points.count; ++i) {
        const struct change_point *one = &points.points[i];
        found->items[found->count++] = (struct series_change){.before = series[one->before].place,
                                                              .after = series[one->after].place,
                                                              .change_pct = pct_of(one->log_change),
                                                              .low_pct = pct_of(one->interval.lo),
                                                              .high_pct = pct_of(one->interval.hi),
                                                              .p = one->p};
    }
    change_points_free(&points);
    return code;
}

static int by_place(const void *left, const void *right) {
    const struct series_change *a = left, *b = right;
    return (a->after > b->after) - (a->after < b->after);
}

int series_find_changes(const struct stored_result *results, size_t count, struct arena *arena,
                        struct series_change **ret, size_t *ret_count, struct err *err) {
    struct placed *placed = mem_alloc((count + 1) * sizeof *placed);
    double *values = mem_alloc((count + 1) * sizeof *values),
           *errors = mem_alloc((count + 1) * sizeof *errors);
    struct found found = {.items = arena_array(arena, count + 1, sizeof *found.items)};
    int code = 0;
    for (size_t i = 0; i < count; ++i) placed[i] = (struct placed){&results[i], i};
    qsort(placed, count, sizeof *placed, by_series);
    for (size_t begin = 0, end; begin < count && code == 0; begin = end) {
        for (end = begin + 1; end < count && !compare_series(placed[begin].result, placed[end].result);)
            ++end;
        code = find_in_series(&placed[begin], end - begin, values, errors, &found);
    }
    free(placed);
    free(values);
    free(errors);
    if (code < 0) return err_set(err, ERR_INTERNAL, "no memory for the change points");
    qsort(found.items, found.count, sizeof *found.items, by_place);
    *ret = found.items;
    *ret_count = found.count;
    return 0;
}
