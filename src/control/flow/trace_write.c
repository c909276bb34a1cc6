// SPDX-License-Identifier: Apache-2.0
//
// See trace_write.h.
#include "control/flow/trace_write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "assay_config.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "control/plan/dataset/dataset.h"
#include "control/plan/peer.h"

#define IMPORT_SUBJECT   "Python kernel '" // worker/module/python_kernel.c
#define TRACES_BYTES_MAX ((size_t)1 << 30) // of a file that is added to

// ---- statuses ----

// "it returned float32 (1, 1) as 'y', which is float32 (2, 8)": which of both differs. Anything else that was
// raised is an error of the program.
static const char *launch_status(const char *message) {
    static const char begin[] = "it returned ", middle[] = ", which is ";
    const char *got = strstr(message, begin), *wanted = strstr(message, middle);
    if (!got || !wanted) return "RUNTIME_ERROR";
    got += strlen(begin);
    wanted += strlen(middle);
    const size_t length = strcspn(wanted, " ");
    return strncmp(got, wanted, length + 1) == 0 ? "INCORRECT_SHAPE" : "INCORRECT_DTYPE";
}

const char *trace_status(const struct check_result *check, bool is_strict) {
    if (check->outcome == OUTCOME_TIMEOUT) return "TIMEOUT";
    if (check->outcome != OUTCOME_FAIL) return "RUNTIME_ERROR";
    switch (check->finding) {
    case FINDING_STALE: return is_strict ? "REWARD_HACK" : "INCORRECT_NUMERICAL";
    case FINDING_LATE_WORK:
    case FINDING_INPUT_CHANGED:
    case FINDING_FALSE_CLOCK: return is_strict ? "REWARD_HACK" : "RUNTIME_ERROR";
    case FINDING_OUT_OF_BOUNDS:
    case FINDING_GAP_WRITTEN: return "RUNTIME_ERROR";
    case FINDING_LAUNCH_FAILED: return launch_status(check->message);
    default: return "INCORRECT_NUMERICAL";
    }
}

// ---- a line ----

struct traces {
    const struct result *result;
    const struct dataset_operator *op;
    bool is_strict;
    struct json_writer *w;
};

// What is no number has a text in one form, and a flag beside 0 in the other.
static void write_error(struct json_writer *w, const char *key, double value, bool is_strict) {
    if (isfinite(value))
        json_write_double(w, key, value);
    else if (is_strict)
        json_write_double(w, key, 0);
    else
        json_write_string(w, key, isnan(value) ? "NaN" : "Infinity");
}

static void write_correctness(const struct traces *traces, const struct check_result *check) {
    struct json_writer *w = traces->w;
    double relative = 0, absolute = 0;
    for (int i = 0; i < check->tensor_count; ++i) { // NaN stays: fmax would drop it
        const struct tensor_error *error = &check->tensors[i];
        if (!(error->max_abs <= absolute)) absolute = error->max_abs;
        if (!(error->max_rel <= relative)) relative = error->max_rel;
    }
    json_object_begin(w, "correctness");
    write_error(w, "max_relative_error", relative, traces->is_strict);
    write_error(w, "max_absolute_error", absolute, traces->is_strict);
    if (traces->is_strict) json_write_bool(w, "has_nan", check->finding == FINDING_NOT_A_NUMBER);
    json_object_end(w);
}

static void write_performance(struct json_writer *w, double kernel_ns, double reference_ns) {
    json_object_begin(w, "performance");
    json_write_double(w, "latency_ms", kernel_ns / 1e6);
    json_write_double(w, "reference_latency_ms", reference_ns / 1e6);
    json_write_double(w, "speedup_factor", reference_ns / kernel_ns);
    json_object_end(w);
}

static void write_environment(struct json_writer *w, const struct environment *environment,
                              const struct check_result *check) {
    json_object_begin(w, "environment");
    json_write_string(w, "hardware", str_or(environment->device_name, "not known"));
    json_object_begin(w, "libs");
    json_write_string(w, "assay", str_or(environment->assay_version, "not known"));
    if (*check->note) json_write_string(w, "kernel", check->note);
    json_object_end(w);
    json_object_end(w);
}

static double time_of(const struct result_case *item, size_t side) {
    return item->summaries[side].is_set ? item->summaries[side].mean_ns : NAN;
}

static size_t reference_side(const struct result *result) {
    size_t side = 0;
    while (side < result->side_count && !peer_is_reference(result->sides[side].kernel)) ++side;
    return side;
}

static const struct result_case *find_case(const struct result_case *cases, size_t count,
                                           const char *problem) {
    for (size_t i = 0; i < count; ++i)
        if (str_equal(cases[i].problem.name, problem) && cases[i].memory_layout == MEMORY_LAYOUT_DENSE &&
            str_equal(cases[i].distribution, OP_DISTRIBUTION_DEFAULT))
            return &cases[i];
    return NULL;
}

static void write_trace(const struct traces *traces, const struct dataset_workload *workload, size_t side,
                        const struct result_case *item, struct err *err) {
    struct json_writer *w = traces->w;
    const struct result *result = traces->result;
    const size_t reference = reference_side(result);
    const struct check_result *check = &item->checks[side];
    const double kernel_ns = time_of(item, side),
                 reference_ns = reference < result->side_count ? time_of(item, reference) : NAN;
    const bool is_passed = check->outcome == OUTCOME_OK;
    const bool has_times = isfinite(kernel_ns) && isfinite(reference_ns) && kernel_ns > 0;
    json_t *text = NULL;
    if (check->outcome == OUTCOME_NONE || check->outcome == OUTCOME_SKIPPED ||
        check->outcome == OUTCOME_NOT_VALID || (is_passed && !has_times) ||
        json_read_text(workload->text, strlen(workload->text), "workload", &text, err) < 0)
        return;
    const char *status = is_passed ? "PASSED" : trace_status(check, traces->is_strict);
    json_object_begin(w, NULL);
    json_write_string(w, "definition", traces->op->definition.name);
    json_write_value(w, "workload", text);
    json_write_string(w, "solution", result->sides[side].kernel);
    json_object_begin(w, "evaluation");
    json_write_string(w, "status", status);
    write_environment(w, &result->environment, check);
    json_write_string(w, "timestamp", str_or(result->created_utc, "not known"));
    json_write_string(w, "log", check->message);
    if (is_passed || str_equal(status, "INCORRECT_NUMERICAL"))
        write_correctness(traces, check);
    else
        json_write_null(w, "correctness");
    if (is_passed)
        write_performance(w, kernel_ns, reference_ns);
    else
        json_write_null(w, "performance");
    json_object_end(w);
    json_object_end(w);
    json_decref(text);
}

static void write_traces(const struct traces *traces, struct strbuf *out, struct err *err) {
    const struct result *result = traces->result;
    for (size_t i = 0; i < traces->op->workload_count; ++i) {
        const struct dataset_workload *workload = &traces->op->workloads[i];
        const struct result_case *item = find_case(result->cases, result->case_count, workload->problem);
        if (!item) item = find_case(result->checks, result->check_count, workload->problem);
        for (size_t side = 0; item && side < result->side_count; ++side) {
            struct json_writer w = json_writer_make(out, 0);
            struct traces one = *traces;
            const size_t before = out->length;
            one.w = &w;
            if (peer_is_reference(result->sides[side].kernel)) continue;
            write_trace(&one, workload, side, item, err);
            if (out->length > before) strbuf_add_char(out, '\n');
        }
    }
}

// ---- of a solution that cannot be loaded ----

// The solution that the sentence is about; NULL: it is about something else. A kernel in Python is named by
// its function alone, which is the only solution's.
static const char *unbuilt_solution(const struct session_options *options, const struct err *why,
                                    struct arena *arena) {
    const char *name = str_or(options->solution, options->kernel);
    const char *others = options->others;
    if (!name || peer_is_reference(name) || strchr(name, ',')) return NULL;
    if (why->code == ERR_BUILD && strstr(why->text, arena_format(arena, "'%s' does not build", name)))
        return name;
    const bool is_only = !others || peer_is_reference(others);
    return is_only && str_starts(why->text, IMPORT_SUBJECT) ? name : NULL;
}

static void write_unbuilt(const struct dataset_operator *op, const char *solution, const char *log,
                          struct strbuf *out, struct err *err) {
    const struct environment environment = {.assay_version = ASSAY_VERSION};
    const struct check_result none = {0};
    char now[CLOCK_UTC_BYTES];
    clock_utc_text(now, sizeof now);
    for (size_t i = 0; i < op->workload_count; ++i) {
        struct json_writer w = json_writer_make(out, 0);
        json_t *text = NULL;
        if (json_read_text(op->workloads[i].text, strlen(op->workloads[i].text), "workload", &text, err) < 0)
            continue;
        json_object_begin(&w, NULL);
        json_write_string(&w, "definition", op->definition.name);
        json_write_value(&w, "workload", text);
        json_write_string(&w, "solution", solution);
        json_object_begin(&w, "evaluation");
        json_write_string(&w, "status", "COMPILE_ERROR");
        write_environment(&w, &environment, &none);
        json_write_string(&w, "timestamp", now);
        json_write_string(&w, "log", log);
        json_write_null(&w, "correctness");
        json_write_null(&w, "performance");
        json_object_end(&w);
        json_object_end(&w);
        strbuf_add_char(out, '\n');
        json_decref(text);
    }
}

// ---- the file ----

static int add_traces(const struct session_options *options, const struct result *result,
                      const struct err *why, struct arena *arena, struct strbuf *out, struct err *err) {
    struct dataset dataset;
    struct dataset_operator op;
    const struct dataset_file *file;
    TRY(dataset_open(arena, options->dataset, &dataset, err));
    TRY(dataset_find(&dataset, DATASET_DEFINITION, options->definition, &file, err));
    TRY(dataset_describe(&dataset, file, options->inputs, &op, err));
    const struct traces traces = {result, &op, str_equal(path_base(file->path), "definition.json"), NULL};
    if (result)
        write_traces(&traces, out, err);
    else
        write_unbuilt(&op, unbuilt_solution(options, why, arena), why->text, out, err);
    return 0;
}

static int write_file(const struct session_options *options, const struct result *result,
                      const struct err *why, const char *path, struct err *err) {
    struct arena arena = {0};
    struct strbuf lines = {0};
    char *before = NULL;
    size_t length;
    int code = 0;
    if (file_exists(path)) code = file_read(path, TRACES_BYTES_MAX, &before, &length, err);
    if (before) strbuf_add_bytes(&lines, before, length);
    if (code == 0) code = add_traces(options, result, why, &arena, &lines, err);
    if (code == 0) code = file_write_atomic(path, strbuf_text(&lines), lines.length, err);
    free(before);
    strbuf_fini(&lines);
    arena_fini(&arena);
    return code;
}

int trace_write(const struct session_options *options, const struct result *result, const char *path,
                struct err *err) {
    return write_file(options, result, NULL, path, err);
}

int trace_write_unbuilt(const struct session_options *options, const struct err *why, const char *path,
                        struct err *err) {
    struct arena arena = {0};
    const bool is_unbuilt = options->dataset && unbuilt_solution(options, why, &arena);
    arena_fini(&arena);
    return is_unbuilt ? write_file(options, NULL, why, path, err) : 0;
}
