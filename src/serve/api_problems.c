// SPDX-License-Identifier: Apache-2.0
//
// The overview: every problem and side with its newest result and its trend; and what to filter by.
#include <string.h>

#include "serve/api_handlers.h"
#include "store/series.h"
#include "store/store_facets.h"

enum { TREND_POINTS = 60 };

static bool fits(const struct stored_result *one, const struct call_filter *filter) {
    if (filter->text && !strstr(one->problem, filter->text)) return false;
    return !filter->verdict || str_equal(one->verdict, filter->verdict);
}

struct trend {
    struct stored_result *results; // the oldest first
    size_t count;
};

// The newest results of the same problem, side and metric, on the same device and of the same suite.
static int list_trend(struct serve_call *call, const struct call_filter *filter,
                      const struct stored_result *one, struct trend *ret, struct err *err) {
    struct store_filter series = filter->store;
    series.problem = one->problem;
    series.side = one->side;
    series.suite = one->run.suite;
    series.device = str_or(one->run.device_uuid, one->run.device);
    series.metric = one->run.metric;
    series.limit = TREND_POINTS;
    return store_list_series(call->store, &series, &call->arena, &ret->results, &ret->count, err);
}

static int write_trend(struct serve_call *call, const struct trend *trend, struct json_writer *w,
                       struct err *err) {
    struct series_change *changes = NULL;
    size_t change_count = 0;
    TRY(series_find_changes(trend->results, trend->count, &call->arena, &changes, &change_count, err));
    json_array_begin(w, "trend");
    for (size_t i = 0; i < trend->count; ++i) {
        json_object_begin(w, NULL);
        json_write_string(w, "created_utc", trend->results[i].run.created_utc);
        json_write_double(w, "median_ns", trend->results[i].median_ns);
        json_object_end(w);
    }
    json_array_end(w);
    json_write_u64(w, "change_count", change_count);
    return 0;
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

static int write_problem(struct serve_call *call, const struct stored_result *one, const struct trend *trend,
                         struct json_writer *w, struct err *err) {
    json_object_begin(w, NULL);
    json_write_string(w, "problem", one->problem);
    json_write_string(w, "suite", one->run.suite);
    json_write_string(w, "device_uuid", one->run.device_uuid);
    json_write_string(w, "device", one->run.device);
    json_write_string(w, "side", one->side);
    json_write_string(w, "role", one->role);
    json_write_string(w, "kernel", one->kernel);
    write_last(one, w);
    TRY(write_trend(call, trend, w, err));
    json_object_end(w);
    return 0;
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
static int write_side(struct serve_call *call, const struct call_filter *filter,
                      const struct stored_side *side, struct json_writer *w, struct err *err) {
    const struct store_filter series = {.problem = side->problem, .side = side->side, .limit = TREND_POINTS};
    struct trend trend = {.count = 0};
    TRY(store_list_series(call->store, &series, &call->arena, &trend.results, &trend.count, err));
    if (!trend.count) return 0; // it was removed just now
    const struct stored_result *newest = &trend.results[trend.count - 1];
    size_t count = 0;
    while (count < trend.count && is_of_trend(&trend.results[count], newest)) ++count;
    if (count < trend.count) TRY(list_trend(call, filter, newest, &trend, err));
    return write_problem(call, newest, &trend, w, err);
}

// Without a filter only those of the page are looked at.
static int write_page(struct serve_call *call, const struct call_filter *filter, struct json_writer *w,
                      size_t *ret_total, struct err *err) {
    struct stored_side *sides = NULL;
    TRY(store_list_sides(call->store, &call->arena, &sides, ret_total, err));
    for (size_t i = filter->offset; i < *ret_total && is_in_page(filter, i); ++i)
        TRY(write_side(call, filter, &sides[i], w, err));
    return 0;
}

static int write_filtered(struct serve_call *call, const struct call_filter *filter, struct json_writer *w,
                          size_t *ret_total, struct err *err) {
    struct stored_result *results = NULL;
    size_t count = 0;
    *ret_total = 0;
    TRY(store_list_problems(call->store, &filter->store, &call->arena, &results, &count, err));
    for (size_t i = 0; i < count; ++i) {
        if (!fits(&results[i], filter)) continue;
        if (is_in_page(filter, (*ret_total)++)) {
            struct trend trend;
            TRY(list_trend(call, filter, &results[i], &trend, err));
            TRY(write_problem(call, &results[i], &trend, w, err));
        }
    }
    return 0;
}

int api_problems(struct serve_call *call, struct err *err) {
    struct call_filter filter;
    size_t total = 0;
    TRY(call_filter_read(call, &filter, err));
    filter.store.metric = request_parameter(&call->target, "metric");
    const bool has_filter = filter.text || filter.verdict || store_has_condition(&filter.store);
    struct json_writer w = call_json_begin(call);
    json_array_begin(&w, "problems");
    TRY((has_filter ? write_filtered : write_page)(call, &filter, &w, &total, err));
    json_array_end(&w);
    json_write_u64(&w, "total", total);
    call_json_end(call, &w);
    return 0;
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
