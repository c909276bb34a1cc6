// SPDX-License-Identifier: Apache-2.0
//
// Figures for Prometheus, in its text format: the newest result of every problem, and what the server did.
#include <math.h>

#include "record/metric.h"
#include "report/export/metric_label.h"
#include "serve/api_handlers.h"

static void add_labels(struct strbuf *out, const char *metric, const struct stored_result *one) {
    strbuf_addf(out, "%s{", metric);
    metric_label_add(out, "problem", one->problem);
    metric_label_add(out, ",side", one->side);
    metric_label_add(out, ",suite", one->run.suite);
    metric_label_add(out, ",device", str_or(one->run.device, one->run.device_uuid));
}

// Of a metric that is a time. The newest result of another one hides none.
static int add_medians(struct serve_call *call, enum metric metric, size_t run_count, struct err *err) {
    struct stored_result *results = NULL;
    size_t count = 0, fitting_count = 0;
    struct store_filter filter = {.metric = metric_name(metric)};
    TRY(store_count_runs(call->store, &filter, &fitting_count, err));
    if (!fitting_count) return 0;
    if (fitting_count == run_count) filter.metric = NULL; // a filter looks at a run for each result
    TRY(store_list_problems(call->store, &filter, &call->arena, &results, &count, err));
    for (size_t i = 0; i < count; ++i) {
        if (!isfinite(results[i].median_ns)) continue;
        add_labels(&call->out, "assay_median_seconds", &results[i]);
        metric_label_add(&call->out, ",metric", results[i].run.metric);
        strbuf_addf(&call->out, "} %.9g\n", results[i].median_ns * 1e-9);
    }
    return 0;
}

static void add_verdicts(struct strbuf *out, const struct stored_result *results, size_t count) {
    strbuf_add(out, "# HELP assay_regression Whether the newest result is a regression, or wrong.\n"
                    "# TYPE assay_regression gauge\n");
    for (size_t i = 0; i < count; ++i) {
        if (!results[i].verdict) continue;
        add_labels(out, "assay_regression", &results[i]);
        metric_label_add(out, ",verdict", results[i].verdict);
        strbuf_addf(out, "} %d\n",
                    str_equal(results[i].verdict, verdict_name(VERDICT_REGRESSION)) ||
                        str_equal(results[i].verdict, verdict_name(VERDICT_WRONG)));
    }
}

int api_metrics(struct serve_call *call, struct err *err) {
    struct stored_result *results = NULL;
    size_t count = 0, run_count = 0;
    const struct store_filter all = {.limit = 0};
    TRY(store_list_problems(call->store, &all, &call->arena, &results, &count, err));
    TRY(store_count_runs(call->store, &all, &run_count, err));
    struct strbuf *out = &call->out;
    call->type = "text/plain; version=0.0.4; charset=utf-8";
    call->policy = DATA_POLICY;
    strbuf_add(out, "# HELP assay_median_seconds Median time of the newest result of the metric.\n"
                    "# TYPE assay_median_seconds gauge\n");
    TRY(add_medians(call, METRIC_TIME, run_count, err));
    TRY(add_medians(call, METRIC_CALL_TIME, run_count, err));
    add_verdicts(out, results, count);
    strbuf_addf(out,
                "# HELP assay_store_runs Runs of the store.\n# TYPE assay_store_runs gauge\n"
                "assay_store_runs %zu\n# HELP assay_http_requests_total Answers by status.\n"
                "# TYPE assay_http_requests_total counter\n",
                run_count);
    for (int i = 0; i < HTTP_STATUS_MAX; ++i)
        if (call->serve->status_counts[i])
            strbuf_addf(out, "assay_http_requests_total{status=\"%d\"} %llu\n", i,
                        (unsigned long long)call->serve->status_counts[i]);
    return 0;
}
