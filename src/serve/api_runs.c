// SPDX-License-Identifier: Apache-2.0
//
// Runs: the list, one with its results, its document and its report; and which of them are baselines.
#include "control/flow/report/report_page.h"
#include "serve/api_handlers.h"
#include "serve/stored_document.h"

int api_runs(struct serve_call *call, struct err *err) {
    struct call_filter filter;
    struct stored_run *runs = NULL;
    size_t count = 0, total = 0;
    TRY(call_filter_read(call, &filter, err));
    filter.store.limit = (uint32_t)(filter.offset + filter.limit);
    TRY(store_count_runs(call->store, &filter.store, &total, err));
    TRY(store_list_runs(call->store, &filter.store, &call->arena, &runs, &count, err));
    struct json_writer w = call_json_begin(call);
    json_write_u64(&w, "total", total);
    json_array_begin(&w, "runs");
    for (size_t i = count > filter.offset ? count - filter.offset : 0; i-- > 0;) // oldest first
        call_write_run(&w, NULL, &runs[i]);
    json_array_end(&w);
    call_json_end(call, &w);
    return 0;
}

static void write_result(const struct stored_result *one, struct json_writer *w) {
    json_object_begin(w, NULL);
    json_write_string(w, "problem", one->problem);
    json_write_string(w, "side", one->side);
    json_write_string(w, "role", one->role);
    json_write_string(w, "kernel", one->kernel);
    json_write_double(w, "median_ns", one->median_ns);
    json_write_double(w, "low_ns", one->low_ns);
    json_write_double(w, "high_ns", one->high_ns);
    json_write_i64(w, "round_count", one->round_count);
    json_write_double(w, "change_pct", one->change_pct);
    json_write_string(w, "verdict", one->verdict);
    json_object_end(w);
}

int api_run(struct serve_call *call, struct err *err) {
    const struct store_filter filter = {.run_id = call->item};
    struct stored_run *runs = NULL;
    struct stored_result *results = NULL;
    size_t run_count = 0, count = 0;
    TRY(store_list_runs(call->store, &filter, &call->arena, &runs, &run_count, err));
    if (!run_count)
        return err_set(err, ERR_NO_INPUT, "the store has no run '%s'", str_shown(call->item).text);
    TRY(store_list_results(call->store, &filter, &call->arena, &results, &count, err));
    struct json_writer w = call_json_begin(call);
    call_write_run(&w, "run", &runs[0]);
    json_array_begin(&w, "results");
    for (size_t i = 0; i < count; ++i) write_result(&results[i], &w);
    json_array_end(&w);
    call_json_end(call, &w);
    return 0;
}

int api_run_document(struct serve_call *call, struct err *err) {
    call_json_type(call);
    return store_document(call->store, call->item, &call->out, err);
}

int api_run_report(struct serve_call *call, struct err *err) {
    struct result result = {0};
    TRY(stored_document_read(call, call->item, &result, NULL, err));
    call->type = "text/html; charset=utf-8";
    call->policy = report_page_policy(&call->arena);
    const int code = report_page_add(&result, report_options_default(), &call->out, err);
    result_fini(&result);
    return code;
}

int api_baselines(struct serve_call *call, struct err *err) {
    struct stored_baseline *baselines = NULL;
    size_t count = 0;
    struct call_filter filter;
    TRY(call_filter_read(call, &filter, err));
    const struct store_place place = {
        .branch = filter.store.branch, .device_uuid = filter.store.device, .suite = filter.store.suite};
    TRY(store_list_baselines(call->store, &place, &call->arena, &baselines, &count, err));
    struct json_writer w = call_json_begin(call);
    json_array_begin(&w, "baselines");
    for (size_t i = 0; i < count; ++i) {
        json_object_begin(&w, NULL);
        json_write_string(&w, "branch", baselines[i].place.branch);
        json_write_string(&w, "device_uuid", baselines[i].place.device_uuid);
        json_write_string(&w, "suite", baselines[i].place.suite);
        json_write_string(&w, "run_id", baselines[i].run.run_id);
        json_write_string(&w, "created_utc", baselines[i].run.created_utc);
        json_write_string(&w, "commit", baselines[i].run.commit);
        json_object_end(&w);
    }
    json_array_end(&w);
    call_json_end(call, &w);
    return 0;
}
