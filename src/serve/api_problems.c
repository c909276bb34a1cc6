// SPDX-License-Identifier: Apache-2.0
//
// Every problem and side with its newest result and its trend; and what to filter by.
#include <math.h>
#include <string.h>

#include "serve/api_handlers.h"
#include "serve/kept_changes.h"
#include "serve/problem_rows.h"
#include "store/store_facets.h"

enum { TREND_POINTS = 60 };

// What was asked for, and the change points of the store.
struct list {
    struct call_filter filter;
    struct problem_order order;
    bool is_changed; // only those with a change point
    const struct store_changes *changes;
};

static bool fits(const struct problem_row *row, const struct list *list) {
    if (list->filter.text && !strstr(row->newest->problem, list->filter.text)) return false;
    if (list->is_changed && !row->change) return false;
    return !list->filter.verdict || str_equal(row->newest->verdict, list->filter.verdict);
}

struct trend {
    struct stored_result *results; // the oldest first
    size_t count;
};

// The newest results of the same problem, side and metric, on the same device and of the same suite.
static int list_trend(struct serve_call *call, const struct list *list, const struct stored_result *one,
                      struct trend *ret, struct err *err) {
    struct store_filter series = list->filter.store;
    series.problem = one->problem;
    series.side = one->side;
    series.suite = one->run.suite;
    series.device = str_or(one->run.device_uuid, one->run.device);
    series.metric = one->run.metric;
    series.limit = TREND_POINTS;
    return store_list_series(call->store, &series, &call->arena, &ret->results, &ret->count, err);
}

static void write_trend(const struct trend *trend, const struct problem_row *row, struct json_writer *w) {
    double medians[TREND_POINTS];
    for (size_t i = 0; i < trend->count; ++i) medians[i] = trend->results[i].median_ns;
    json_write_doubles(w, "trend", medians, trend->count);
    json_write_u64(w, "change_count", row->change_count);
    json_write_double(w, "last_change_pct", row->change ? row->change->step.change_pct : NAN);
}

static void write_last(const struct stored_result *one, struct json_writer *w) {
    json_object_begin(w, "last");
    json_write_string(w, "run_id", one->run.run_id);
    json_write_string(w, "created_utc", one->run.created_utc);
    json_write_string(w, "commit", one->run.commit);
    json_write_string(w, "branch", one->run.branch);
    json_write_string(w, "metric", one->run.metric);
    json_write_double(w, "median_ns", one->median_ns);
    json_write_double(w, "low_ns", one->low_ns);
    json_write_double(w, "high_ns", one->high_ns);
    json_write_double(w, "change_pct", one->change_pct);
    json_write_string(w, "verdict", one->verdict);
    json_object_end(w);
}

static void write_problem(const struct problem_row *row, const struct trend *trend, struct json_writer *w) {
    const struct stored_result *one = row->newest;
    json_object_begin(w, NULL);
    json_write_string(w, "problem", one->problem);
    json_write_string(w, "suite", one->run.suite);
    json_write_string(w, "device_uuid", one->run.device_uuid);
    json_write_string(w, "device", one->run.device);
    json_write_string(w, "side", one->side);
    json_write_string(w, "role", one->role);
    json_write_string(w, "kernel", one->kernel);
    write_last(one, w);
    write_trend(trend, row, w);
    json_object_end(w);
}

static bool is_in_page(const struct call_filter *filter, size_t index) {
    return index >= filter->offset && index - filter->offset < filter->limit;
}

static bool is_of_trend(const struct stored_result *one, const struct stored_result *newest) {
    return str_equal(one->run.suite, newest->run.suite) && str_equal(one->run.metric, newest->run.metric) &&
           str_equal(one->run.device_uuid, newest->run.device_uuid) &&
           str_equal(one->run.device, newest->run.device);
}

// The newest results of a side are its newest one and, mostly, its trend.
static int write_side(struct serve_call *call, const struct list *list, const struct stored_side *side,
                      struct json_writer *w, struct err *err) {
    const struct store_filter series = {.problem = side->problem, .side = side->side, .limit = TREND_POINTS};
    struct trend trend = {.count = 0};
    TRY(store_list_series(call->store, &series, &call->arena, &trend.results, &trend.count, err));
    if (!trend.count) return 0; // it was removed just now
    const struct stored_result *newest = &trend.results[trend.count - 1];
    size_t count = 0;
    while (count < trend.count && is_of_trend(&trend.results[count], newest)) ++count;
    if (count < trend.count) TRY(list_trend(call, list, newest, &trend, err));
    const struct problem_row row = problem_row_make(newest, list->changes, &list->order);
    write_problem(&row, &trend, w);
    return 0;
}

// Without a filter only those of the page are looked at.
static int write_page(struct serve_call *call, const struct list *list, struct json_writer *w,
                      size_t *ret_total, struct err *err) {
    struct stored_side *sides = NULL;
    TRY(store_list_sides(call->store, &call->arena, &sides, ret_total, err));
    problem_sides_sort(sides, *ret_total);
    for (size_t i = list->filter.offset; i < *ret_total && is_in_page(&list->filter, i); ++i)
        TRY(write_side(call, list, &sides[i], w, err));
    return 0;
}

// Those that fit, in their order.
static int list_rows(struct serve_call *call, const struct list *list, struct problem_row **ret,
                     size_t *ret_count, struct err *err) {
    struct stored_result *results = NULL;
    size_t count = 0;
    TRY(store_list_problems(call->store, &list->filter.store, &call->arena, &results, &count, err));
    *ret = arena_array(&call->arena, count + 1, sizeof **ret);
    *ret_count = 0;
    for (size_t i = 0; i < count; ++i) {
        const struct problem_row row = problem_row_make(&results[i], list->changes, &list->order);
        if (fits(&row, list)) (*ret)[(*ret_count)++] = row;
    }
    problem_rows_sort(*ret, *ret_count);
    return 0;
}

static int write_filtered(struct serve_call *call, const struct list *list, struct json_writer *w,
                          size_t *ret_total, struct err *err) {
    struct problem_row *rows = NULL;
    TRY(list_rows(call, list, &rows, ret_total, err));
    for (size_t i = list->filter.offset; i < *ret_total && is_in_page(&list->filter, i); ++i) {
        struct trend trend = {.count = 0};
        TRY(list_trend(call, list, rows[i].newest, &trend, err));
        write_problem(&rows[i], &trend, w);
    }
    return 0;
}

static int read_list(struct serve_call *call, struct list *ret, struct err *err) {
    const char *changed = request_parameter(&call->target, "changed");
    TRY(call_filter_read(call, &ret->filter, err));
    TRY(problem_order_read(call, &ret->order, err));
    ret->filter.store.metric = request_parameter(&call->target, "metric");
    ret->is_changed = changed != NULL;
    if (!changed || str_equal(changed, "1")) return 0;
    return err_set(err, ERR_USAGE, "changed is 1: only problems with a change point, not '%s'",
                   str_shown(changed).text);
}

// Whether all rows must be looked at before the first one is known.
static bool needs_all(const struct serve_call *call, const struct list *list) {
    return list->filter.text || list->filter.verdict || list->is_changed ||
           store_has_condition(&list->filter.store) || request_parameter(&call->target, "sort") ||
           request_parameter(&call->target, "order");
}

static int write_list(struct serve_call *call, const struct list *list, struct err *err) {
    size_t total = 0;
    struct json_writer w = call_json_begin(call);
    json_array_begin(&w, "problems");
    TRY((needs_all(call, list) ? write_filtered : write_page)(call, list, &w, &total, err));
    json_array_end(&w);
    json_write_u64(&w, "total", total);
    call_json_end(call, &w);
    return 0;
}

int api_problems(struct serve_call *call, struct err *err) {
    struct list list = {.changes = NULL};
    TRY(read_list(call, &list, err));
    TRY(kept_changes_take(call->serve->changes, call->store, &list.changes, err));
    const int code = write_list(call, &list, err);
    kept_changes_give(call->serve->changes, list.changes);
    return code;
}

static int write_facets(struct serve_call *call, enum store_facet_kind kind, const char *key,
                        struct json_writer *w, struct err *err) {
    struct store_facet *facets = NULL;
    size_t count = 0;
    TRY(store_list_facets(call->store, kind, &call->arena, &facets, &count, err));
    json_array_begin(w, key);
    for (size_t i = 0; i < count; ++i) {
        if (kind != STORE_FACET_DEVICE) {
            json_write_string(w, NULL, facets[i].value);
            continue;
        }
        json_object_begin(w, NULL);
        json_write_string(w, "uuid", facets[i].value);
        json_write_string(w, "name", facets[i].name);
        json_object_end(w);
    }
    json_array_end(w);
    return 0;
}

int api_facets(struct serve_call *call, struct err *err) {
    struct json_writer w = call_json_begin(call);
    TRY(write_facets(call, STORE_FACET_BRANCH, "branches", &w, err));
    TRY(write_facets(call, STORE_FACET_DEVICE, "devices", &w, err));
    TRY(write_facets(call, STORE_FACET_SUITE, "suites", &w, err));
    call_json_end(call, &w);
    return 0;
}
