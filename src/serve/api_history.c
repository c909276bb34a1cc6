// SPDX-License-Identifier: Apache-2.0
//
// The results of one problem and side over the runs, of one metric, and where they changed.
#include "serve/api_handlers.h"
#include "serve/change_members.h"
#include "store/series.h"

struct series {
    const struct stored_result *results;
    size_t count;
    const struct series_change *changes;
    size_t change_count;
};

static void write_point(const struct stored_result *one, struct json_writer *w) {
    json_object_begin(w, NULL);
    json_write_string(w, "run_id", one->run.run_id);
    json_write_string(w, "created_utc", one->run.created_utc);
    json_write_string(w, "commit", one->run.commit);
    json_write_string(w, "parent", one->run.parent);
    json_write_string(w, "branch", one->run.branch);
    json_write_string(w, "device", one->run.device);
    json_write_double(w, "median_ns", one->median_ns);
    json_write_double(w, "low_ns", one->low_ns);
    json_write_double(w, "high_ns", one->high_ns);
    json_write_i64(w, "round_count", one->round_count);
    json_write_double(w, "change_pct", one->change_pct);
    json_write_string(w, "verdict", one->verdict);
    json_object_end(w);
}

static void write_change(const struct series *series, const struct series_change *change,
                         struct json_writer *w) {
    json_object_begin(w, NULL);
    json_write_u64(w, "index", change->after);
    change_write_runs(&series->results[change->before].run, &series->results[change->after].run, w);
    change_write_size(change, w);
    json_object_end(w);
}

// Times and counts have no axis together: those of the newest result, where the request names no metric.
static int choose_metric(struct serve_call *call, struct store_filter *filter, struct err *err) {
    struct stored_result *newest = NULL;
    struct store_filter one = *filter;
    size_t count = 0;
    one.limit = 1;
    filter->metric = request_parameter(&call->target, "metric");
    if (filter->metric) return 0;
    TRY(store_list_series(call->store, &one, &call->arena, &newest, &count, err));
    if (count) filter->metric = newest[0].run.metric;
    return 0;
}

static void write_series(const struct series *series, struct json_writer *w) {
    json_array_begin(w, "points");
    for (size_t i = 0; i < series->count; ++i) write_point(&series->results[i], w);
    json_array_end(w);
    json_array_begin(w, "change_points");
    for (size_t i = 0; i < series->change_count; ++i) write_change(series, &series->changes[i], w);
    json_array_end(w);
}

int api_history(struct serve_call *call, struct err *err) {
    struct call_filter filter;
    struct stored_result *results = NULL;
    struct series_change *changes = NULL;
    struct series series = {.results = NULL};
    TRY(call_filter_read(call, &filter, err));
    TRY(call_need_parameter(call, "problem", &filter.store.problem, err));
    TRY(call_need_parameter(call, "side", &filter.store.side, err));
    filter.store.limit = (uint32_t)filter.limit;
    TRY(choose_metric(call, &filter.store, err));
    TRY(store_list_series(call->store, &filter.store, &call->arena, &results, &series.count, err));
    if (!series.count)
        return err_set(err, ERR_NO_INPUT, "the store has no result of this problem and side that fits");
    TRY(series_find_changes(results, series.count, &call->arena, &changes, &series.change_count, err));
    series.results = results;
    series.changes = changes;
    struct json_writer w = call_json_begin(call);
    json_write_string(&w, "problem", filter.store.problem);
    json_write_string(&w, "side", filter.store.side);
    json_write_string(&w, "metric", filter.store.metric);
    write_series(&series, &w);
    call_json_end(call, &w);
    return 0;
}
