// SPDX-License-Identifier: Apache-2.0
//
// Two runs of the store, decided by the code of `assay compare`.
#include "base/sha256.h"
#include "control/flow/report/report_page.h"
#include "serve/api_handlers.h"
#include "serve/stored_document.h"

#define STORED_FORMAT "assay" // as `assay compare` names documents of its own

struct compared_runs {
    struct result results[2];
    char hashes[2][SHA256_HEX_BYTES];
    struct result_comparison comparison;
};

static int compare(struct serve_call *call, struct compared_runs *runs, struct err *err) {
    static const char *const parameters[2] = {"a", "b"};
    struct result_comparison *comparison = &runs->comparison;
    const struct classic_options options = classic_options_default();
    comparison->format = STORED_FORMAT;
    for (size_t i = 0; i < 2; ++i) TRY(call_need_parameter(call, parameters[i], &comparison->names[i], err));
    for (size_t i = 0; i < 2; ++i) {
        TRY(stored_document_read(call, comparison->names[i], &runs->results[i], runs->hashes[i], err));
        comparison->results[i] = &runs->results[i];
        comparison->hashes[i] = runs->hashes[i];
    }
    return result_comparison_decide(comparison, request_parameter(&call->target, "side"), &options, err);
}

static void runs_fini(struct compared_runs *runs) {
    for (size_t i = 0; i < 2; ++i) result_fini(&runs->results[i]);
}

int api_compare(struct serve_call *call, struct err *err) {
    struct compared_runs runs = {.comparison = {.format = NULL}};
    int code = compare(call, &runs, err);
    if (code == 0) {
        call_json_type(call);
        code = result_comparison_write(&runs.comparison, &call->out, err);
    }
    runs_fini(&runs);
    return code;
}

int api_compare_report(struct serve_call *call, struct err *err) {
    struct compared_runs runs = {.comparison = {.format = NULL}};
    int code = compare(call, &runs, err);
    call->type = "text/html; charset=utf-8";
    call->policy = report_page_policy(&call->arena);
    if (code == 0)
        code = report_page_add(&runs.results[1], report_of_comparison(&runs.comparison), &call->out, err);
    runs_fini(&runs);
    return code;
}
