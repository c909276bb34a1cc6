// SPDX-License-Identifier: Apache-2.0
//
// The results of one problem and side over the runs, of one metric, and where they changed.
#include <math.h>

#include "serve/api_handlers.h"
#include "stats/describe.h"
#include "store/series.h"

struct series {
    const struct stored_result *results;
    size_t count;
    const struct series_change *changes;
    size_t change_count;
};

static bool is_same_series(const struct stored_result *a, const struct stored_result *b) {
    return str_equal(a->run.device_uuid, b->run.device_uuid) && str_equal(a->run.driver, b->run.driver);
}

// Of the level that the result at `place` lies on: between the changes around it.
static double level_median_ns(const struct series *series, size_t place, struct arena *arena) {
    const struct stored_result *here = &series->results[place];
    size_t begin = 0, end = series->count, count = 0;
    for (size_t i = 0; i < series->change_count; ++i) {
        const size_t after = series->changes[i].after;
        if (!is_same_series(&series->results[after], here)) continue;
        if (after <= place && after > begin) begin = after;
        if (after > place && after < end) end = after;
    }
    double *values = arena_array(arena, end - begin, sizeof *values);
    for (size_t i = begin; i < end; ++i)
        if (is_same_series(&series->results[i], here) && isfinite(series->results[i].median_ns))
            values[count++] = series->results[i].median_ns;
    return count ? describe_unsorted_median(values, count) : NAN;
}

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

static void write_change(const struct series *series, const struct series_change *change, struct arena *arena,
                         struct json_writer *w) {
    const struct stored_run *before = &series->results[change->before].run;
    const struct stored_run *after = &series->results[change->after].run;
    json_object_begin(w, NULL);
    json_write_u64(w, "index", change->after);
    json_write_string(w, "commit_before", before->commit);
    json_write_string(w, "commit_after", after->commit);
    json_write_string(w, "run_before", before->run_id);
    json_write_string(w, "run_after", after->run_id);
    json_write_double(w, "median_before_ns", level_median_ns(series, change->before, arena));
    json_write_double(w, "median_after_ns", level_median_ns(series, change->after, arena));
    json_write_double(w, "change_pct", change->change_pct);
    json_write_double(w, "low_pct", change->low_pct);
    json_write_double(w, "high_pct", change->high_pct);
    json_write_double(w, "p_value", change->p);
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

static void write_series(const struct series *series, struct arena *arena, struct json_writer *w) {
    json_array_begin(w, "points");
    for (size_t i = 0; i < series->count; ++i) write_point(&series->results[i], w);
    json_array_end(w);
    json_array_begin(w, "change_points");
    for (size_t i = 0; i < series->change_count; ++i) write_change(series, &series->changes[i], arena, w);
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
    write_series(&series, &call->arena, &w);
    call_json_end(call, &w);
    return 0;
}
