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

// The newest results of the same problem, side and metric, on the same device and of the same suite.
static int write_trend(struct serve_call *call, const struct call_filter *filter,
                       const struct stored_result *one, struct json_writer *w, struct err *err) {
    struct store_filter series = filter->store;
    struct stored_result *results = NULL;
    struct series_change *changes = NULL;
    size_t count = 0, change_count = 0;
    series.problem = one->problem;
    series.side = one->side;
    series.suite = one->run.suite;
    series.device = str_or(one->run.device_uuid, one->run.device);
    series.metric = one->run.metric;
    series.limit = TREND_POINTS;
    TRY(store_list_series(call->store, &series, &call->arena, &results, &count, err));
    TRY(series_find_changes(results, count, &call->arena, &changes, &change_count, err));
    json_array_begin(w, "trend");
    for (size_t i = 0; i < count; ++i) {
        json_object_begin(w, NULL);
        json_write_string(w, "created_utc", results[i].run.created_utc);
        json_write_double(w, "median_ns", results[i].median_ns);
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

static int write_problem(struct serve_call *call, const struct call_filter *filter,
                         const struct stored_result *one, struct json_writer *w, struct err *err) {
    json_object_begin(w, NULL);
    json_write_string(w, "problem", one->problem);
    json_write_string(w, "suite", one->run.suite);
    json_write_string(w, "device_uuid", one->run.device_uuid);
    json_write_string(w, "device", one->run.device);
    json_write_string(w, "side", one->side);
    json_write_string(w, "role", one->role);
    json_write_string(w, "kernel", one->kernel);
    write_last(one, w);
    TRY(write_trend(call, filter, one, w, err));
    json_object_end(w);
    return 0;
}

int api_problems(struct serve_call *call, struct err *err) {
    struct call_filter filter;
    struct stored_result *results = NULL;
    size_t count = 0, total = 0;
    TRY(call_filter_read(call, &filter, err));
    filter.store.metric = request_parameter(&call->target, "metric");
    TRY(store_list_problems(call->store, &filter.store, &call->arena, &results, &count, err));
    struct json_writer w = call_json_begin(call);
    json_array_begin(&w, "problems");
    for (size_t i = 0; i < count; ++i) {
        if (!fits(&results[i], &filter)) continue;
        if (total >= filter.offset && total - filter.offset < filter.limit)
            TRY(write_problem(call, &filter, &results[i], &w, err));
        ++total;
    }
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
