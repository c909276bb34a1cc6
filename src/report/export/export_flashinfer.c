// SPDX-License-Identifier: Apache-2.0
//
// FlashInfer Trace: an evaluation a line. Its definitions and workloads have names of their own; here they
// are the operator and the problem.
#include <math.h>
#include <string.h>

#include "base/json_writer.h"
#include "report/export/export.h"

static const char *status_of(enum outcome outcome) {
    if (outcome == OUTCOME_TIMEOUT) return "TIMEOUT";
    if (outcome == OUTCOME_CRASHED) return "RUNTIME_ERROR";
    return outcome_is_wrong(outcome) ? "INCORRECT_NUMERICAL" : "PASSED";
}

static void write_environment(struct json_writer *w, const struct environment *environment) {
    json_object_begin(w, "environment");
    json_write_string(w, "hardware", str_or(environment->device_name, str_or(environment->device, "")));
    json_object_begin(w, "libs");
    json_maybe_string(w, "assay", environment->assay_version);
    json_maybe_string(w, "driver", environment->driver);
    json_object_end(w);
    json_object_end(w);
}

// The largest of all outputs.
static void write_correctness(struct json_writer *w, const struct check_result *check) {
    double max_abs = NAN, max_rel = NAN;
    for (int i = 0; i < check->tensor_count; ++i) {
        max_abs = fmax(max_abs, check->tensors[i].max_abs);
        max_rel = fmax(max_rel, check->tensors[i].max_rel);
    }
    json_object_begin(w, "correctness");
    json_maybe_double(w, "max_absolute_error", max_abs);
    json_maybe_double(w, "max_relative_error", max_rel);
    json_object_end(w);
}

static void write_performance(struct json_writer *w, const struct exported *one) {
    const struct decision_case *decision = one->decision;
    json_object_begin(w, "performance");
    json_write_double(w, "latency_ms", one->figures->median_ns / 1e6);
    if (decision && isfinite(decision->median_base_ns)) {
        json_write_double(w, "reference_latency_ms", decision->median_base_ns / 1e6);
        json_write_double(w, "speedup_factor", decision->median_base_ns / one->figures->median_ns);
    }
    json_object_end(w);
}

static void write_evaluation(struct json_writer *w, const struct result *result, const struct exported *one) {
    const uint32_t side = (uint32_t)(one->side - result->sides);
    const struct check_result *check = &one->item->checks[side];
    json_object_begin(w, "evaluation");
    json_write_string(w, "status", status_of(result_case_outcome(one->item, side)));
    json_write_string(w, "log", check->message);
    json_maybe_string(w, "timestamp", result->created_utc);
    write_environment(w, &result->environment);
    write_correctness(w, check);
    write_performance(w, one);
    json_object_end(w);
}

int export_flashinfer_print(const struct result *result, const struct report_options *options,
                            struct strbuf *out) {
    struct arena arena = {0};
    const struct exported *list;
    const size_t count = export_list(result, &arena, &list);
    (void)options;
    for (size_t i = 0; i < count; ++i) {
        const struct exported *one = &list[i];
        struct json_writer w = json_writer_make(out, 0);
        json_object_begin(&w, NULL);
        json_write_string(
            &w, "definition",
            arena_strndup(&arena, one->item->problem.name, strcspn(one->item->problem.name, "/")));
        json_object_begin(&w, "workload");
        json_write_string(&w, "uuid", one->problem);
        json_object_end(&w);
        json_write_string(&w, "solution", str_or(one->side->label, one->side->kernel));
        write_evaluation(&w, result, one);
        json_object_end(&w);
        strbuf_add_char(out, '\n');
    }
    arena_fini(&arena);
    return 0;
}
