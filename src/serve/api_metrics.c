// SPDX-License-Identifier: Apache-2.0
//
// Figures for Prometheus, in its text format: the newest result of every problem, and what the server did.
#include <math.h>

#include "serve/api_handlers.h"

// A label's value: what is not seen is an escape, and the marks of the format are its own.
static void add_label(struct strbuf *out, const char *name, const char *value) {
    struct strbuf plain = {0};
    strbuf_add_plain(&plain, str_or(value, ""), true);
    strbuf_addf(out, "%s=\"", name);
    for (const char *at = strbuf_text(&plain); *at; ++at) {
        if (*at == '"' || *at == '\\') strbuf_add_char(out, '\\');
        strbuf_add_char(out, *at);
    }
    strbuf_add(out, "\"");
    strbuf_fini(&plain);
}

static void add_labels(struct strbuf *out, const char *metric, const struct stored_result *one) {
    strbuf_addf(out, "%s{", metric);
    add_label(out, "problem", one->problem);
    add_label(out, ",side", one->side);
    add_label(out, ",suite", one->run.suite);
    add_label(out, ",device", str_or(one->run.device, one->run.device_uuid));
}

static void add_results(struct strbuf *out, const struct stored_result *results, size_t count) {
    strbuf_add(out, "# HELP assay_median_seconds Median time of the newest result.\n"
                    "# TYPE assay_median_seconds gauge\n");
    for (size_t i = 0; i < count; ++i) {
        if (!isfinite(results[i].median_ns)) continue;
        add_labels(out, "assay_median_seconds", &results[i]);
        strbuf_addf(out, "} %.9g\n", results[i].median_ns * 1e-9);
    }
    strbuf_add(out, "# HELP assay_regression Whether the newest result is a regression, or wrong.\n"
                    "# TYPE assay_regression gauge\n");
    for (size_t i = 0; i < count; ++i) {
        if (!results[i].verdict) continue;
        add_labels(out, "assay_regression", &results[i]);
        add_label(out, ",verdict", results[i].verdict);
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
    add_results(out, results, count);
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
