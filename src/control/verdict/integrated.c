// SPDX-License-Identifier: Apache-2.0
//
// The older `integrated` form: reading, writing, comparing two files, and making one from a result. Code in
// format/ tells it from other forms.
#include "control/verdict/integrated.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/mem.h"
#include "control/verdict/problem_ceilings.h"
#include "control/verdict/summary.h"

#define RECOMMENDATIONS_MAX 64
#define MS_PER_NS           1e-6

static int member_at(const struct json_at *root, const char *key, struct arena *arena, struct json_at *ret,
                     struct err *err) {
    ret->where = arena_format(arena, "%s: %s", root->where, key);
    return json_get_object(root, key, &ret->value, err);
}

// Only a kernel that failed its check may lack a time. A time must be finite and positive.
static int parse_performance(const struct json_at *root, struct arena *arena, struct integrated *ret,
                             struct err *err) {
    const char *key = json_object_get(root->value, "performance") ? "performance" : "metrics";
    struct json_at at = {0};
    double *mean_ms = &ret->performance.mean_time_ms;
    TRY(member_at(root, key, arena, &at, err));
    int found = json_find_double(&at, "mean_time_ms", mean_ms, err);
    TRY(found);
    if (found == 0 && ret->correctness.passed)
        return err_set(err, ERR_DATA, "%s: key 'mean_time_ms' is missing", at.where);
    if (found == 1 && !(*mean_ms > 0))
        return err_set(err, ERR_DATA, "%s: key 'mean_time_ms' must be a positive time in ms, but is %g",
                       at.where, *mean_ms);
    TRY(json_find_double(&at, "std_dev_ms", &ret->performance.std_dev_ms, err));
    TRY(json_find_double(&at, "throughput_gflops", &ret->performance.throughput_gflops, err));
    TRY(json_find_double(&at, "bandwidth_gb_s", &ret->performance.bandwidth_gb_s, err));
    return 0;
}

static int parse_roofline(const struct json_at *root, struct arena *arena, struct integrated *ret,
                          struct err *err) {
    struct json_at at = {.where = arena_format(arena, "%s: roofline", root->where)};
    const char *bottleneck = NULL;
    int found = json_find_object(root, "roofline", &at.value, err);
    if (found <= 0) return found;
    ret->roofline.is_present = true;
    TRY(json_find_double(&at, "arithmetic_intensity", &ret->roofline.arithmetic_intensity, err));
    TRY(json_find_double(&at, "efficiency_pct", &ret->roofline.efficiency_pct, err));
    TRY(json_find_string(&at, "bottleneck", &bottleneck, err));
    ret->roofline.bottleneck = arena_strdup(arena, bottleneck);
    const json_t *array = NULL;
    TRY(json_find_array(&at, "recommendations", &array, err));
    size_t count = array ? json_array_size(array) : 0;
    if (count > RECOMMENDATIONS_MAX)
        return err_set(err, ERR_DATA, "%s: more than %d recommendations", at.where, RECOMMENDATIONS_MAX);
    ret->roofline.recommendations = arena_array(arena, count, sizeof *ret->roofline.recommendations);
    for (size_t i = 0; i < count; ++i) {
        const json_t *text = json_array_get(array, i);
        if (!json_is_string(text))
            return err_set(err, ERR_DATA, "%s: recommendations[%zu] must be a string", at.where, i);
        ret->roofline.recommendations[i] = arena_strdup(arena, json_string_value(text));
    }
    ret->roofline.recommendation_count = count;
    return 0;
}

static int parse_config(const struct json_at *root, struct arena *arena, struct integrated *ret,
                        struct err *err) {
    struct json_at at = {.where = arena_format(arena, "%s: config", root->where)};
    const char *dtype = NULL;
    int found = json_find_object(root, "config", &at.value, err);
    if (found <= 0) return found;
    TRY(json_find_i64(&at, "batch_size", &ret->config.batch_size, err));
    TRY(json_find_i64(&at, "num_heads", &ret->config.num_heads, err));
    TRY(json_find_i64(&at, "seq_len", &ret->config.seq_len, err));
    TRY(json_find_i64(&at, "head_dim", &ret->config.head_dim, err));
    TRY(json_find_string(&at, "dtype", &dtype, err));
    ret->config.dtype = arena_strdup(arena, dtype);
    return 0;
}

int integrated_parse(const json_t *root, const char *where, struct arena *arena, struct integrated *ret,
                     struct err *err) {
    struct integrated document = {
        .correctness = {.max_abs_error = NAN, .mean_abs_error = NAN, .correlation = NAN},
        .performance = {.mean_time_ms = NAN,
                        .std_dev_ms = NAN,
                        .throughput_gflops = NAN,
                        .bandwidth_gb_s = NAN},
        .roofline = {.arithmetic_intensity = NAN, .efficiency_pct = NAN},
    };
    struct json_at at = {root, where}, correctness = {0};
    const char *kernel_name = NULL, *timestamp = NULL;
    TRY(member_at(&at, "correctness", arena, &correctness, err));
    TRY(json_get_bool(&correctness, "passed", &document.correctness.passed, err));
    TRY(json_find_double(&correctness, "max_abs_error", &document.correctness.max_abs_error, err));
    TRY(json_find_double(&correctness, "mean_abs_error", &document.correctness.mean_abs_error, err));
    TRY(json_find_double(&correctness, "correlation", &document.correctness.correlation, err));
    TRY(parse_performance(&at, arena, &document, err));
    TRY(parse_roofline(&at, arena, &document, err));
    TRY(parse_config(&at, arena, &document, err));
    TRY(json_find_string(&at, "kernel_name", &kernel_name, err));
    TRY(json_find_string(&at, "timestamp", &timestamp, err));
    document.kernel_name = arena_strdup(arena, kernel_name);
    document.timestamp = arena_strdup(arena, timestamp);
    *ret = document;
    return 0;
}

void integrated_write(const struct integrated *document, struct strbuf *out) {
    struct json_writer writer = json_writer_make(out, 2), *w = &writer;
    json_object_begin(w, NULL);
    json_maybe_string(w, "kernel_name", document->kernel_name);
    json_maybe_string(w, "timestamp", document->timestamp);
    json_object_begin(w, "config");
    json_write_i64(w, "batch_size", document->config.batch_size);
    json_write_i64(w, "num_heads", document->config.num_heads);
    json_write_i64(w, "seq_len", document->config.seq_len);
    json_write_i64(w, "head_dim", document->config.head_dim);
    json_maybe_string(w, "dtype", document->config.dtype);
    json_object_end(w);
    json_object_begin(w, "correctness");
    json_write_bool(w, "passed", document->correctness.passed);
    json_maybe_double(w, "max_abs_error", document->correctness.max_abs_error);
    json_maybe_double(w, "mean_abs_error", document->correctness.mean_abs_error);
    json_maybe_double(w, "correlation", document->correctness.correlation);
    json_object_end(w);
    json_object_begin(w, "performance");
    json_maybe_double(w, "mean_time_ms", document->performance.mean_time_ms);
    json_maybe_double(w, "std_dev_ms", document->performance.std_dev_ms);
    json_maybe_double(w, "throughput_gflops", document->performance.throughput_gflops);
    json_maybe_double(w, "bandwidth_gb_s", document->performance.bandwidth_gb_s);
    json_object_end(w);
    if (document->roofline.is_present) {
        json_object_begin(w, "roofline");
        json_maybe_double(w, "arithmetic_intensity", document->roofline.arithmetic_intensity);
        json_maybe_string(w, "bottleneck", document->roofline.bottleneck);
        json_maybe_double(w, "efficiency_pct", document->roofline.efficiency_pct);
        json_array_begin(w, "recommendations");
        for (size_t i = 0; i < document->roofline.recommendation_count; ++i)
            json_write_string(w, NULL, document->roofline.recommendations[i]);
        json_array_end(w);
        json_object_end(w);
    }
    json_object_end(w);
    strbuf_add_char(out, '\n');
}

// ---- two means against each other ----

struct integrated_comparison integrated_compare(const struct integrated *baseline,
                                                const struct integrated *current, double threshold_pct) {
    double before = baseline->performance.mean_time_ms, now = current->performance.mean_time_ms;
    struct integrated_comparison ret = {.baseline_time_ms = before,
                                        .current_time_ms = now,
                                        .speedup = before / now,
                                        .improvement_pct = 100 * (before - now) / before,
                                        .threshold = threshold_pct,
                                        .is_wrong = !current->correctness.passed};
    ret.is_regression = ret.is_wrong || !(ret.improvement_pct >= threshold_pct);
    return ret;
}

int integrated_exit_code(const struct integrated_comparison *comparison) {
    return comparison->is_regression ? 1 : 0;
}

void integrated_comparison_write(const struct integrated_comparison *comparison, struct strbuf *out) {
    struct json_writer writer = json_writer_make(out, 2), *w = &writer;
    json_object_begin(w, NULL);
    json_write_double(w, "speedup", comparison->speedup);
    json_write_double(w, "improvement_pct", comparison->improvement_pct);
    json_write_bool(w, "is_regression", comparison->is_regression);
    json_write_double(w, "baseline_time_ms", comparison->baseline_time_ms);
    json_write_double(w, "current_time_ms", comparison->current_time_ms);
    json_write_double(w, "threshold", comparison->threshold);
    json_object_end(w);
    strbuf_add_char(out, '\n');
}

void integrated_comparison_print(const struct integrated_comparison *comparison, struct strbuf *out) {
    strbuf_addf(out, "baseline  %.4f ms\n", comparison->baseline_time_ms);
    if (isfinite(comparison->current_time_ms))
        strbuf_addf(out, "current   %.4f ms\n", comparison->current_time_ms);
    if (isfinite(comparison->improvement_pct))
        strbuf_addf(out, "change    %.2f %% %s (speed-up %.3f), threshold %.1f %% of improvement\n",
                    fabs(comparison->improvement_pct), comparison->improvement_pct < 0 ? "slower" : "faster",
                    comparison->speedup, comparison->threshold);
    strbuf_addf(out, "verdict   %s%s\n", comparison->is_regression ? "regression" : "no regression",
                comparison->is_wrong ? ": the current kernel's result is wrong" : "");
    strbuf_add(out,
               "Two means without samples: nothing is proved (assay gate measures in rounds and decides).\n");
}

char *integrated_problem_name(const char *dtype, const struct integrated_shape *shape) {
    return mem_format("attention/%s/b%u/h%u/s%u/d%u", dtype, shape->batch ? shape->batch : 8,
                      shape->heads ? shape->heads : 4, shape->seq ? shape->seq : 64,
                      shape->dim ? shape->dim : 64);
}

// ---- from a result ----

// Reads the sizes from the fields of the problem's name: b8, h4, s64 (or sq64), d64; the first field is the
// type.
static void set_config(const char *problem, struct arena *arena, struct integrated *ret) {
    const char *at = strchr(problem, '/');
    if (at) ret->config.dtype = arena_strndup(arena, at + 1, strcspn(at + 1, "/"));
    for (; at; at = strchr(at + 1, '/')) {
        const char *field = at + 1;
        size_t letters = strspn(field, "abcdefghijklmnopqrstuvwxyz");
        int64_t value = strtoll(field + letters, NULL, 10);
        if (letters == 1 && *field == 'b') ret->config.batch_size = value;
        if (letters == 1 && *field == 'h') ret->config.num_heads = value;
        if (letters == 1 && *field == 'd') ret->config.head_dim = value;
        if ((letters == 1 && *field == 's') || (letters == 2 && !strncmp(field, "sq", 2)))
            ret->config.seq_len = value;
    }
}

static void set_roofline(const struct problem_ceilings *ceilings, const struct summary *summary,
                         struct arena *arena, struct integrated *ret) {
    double ridge = ceilings->gflop_per_s / ceilings->gb_per_s;
    const char **advice = arena_array(arena, 1, sizeof *advice);
    bool is_compute = summary->figures.flop_per_byte >= ridge;
    ret->roofline.is_present = true;
    ret->roofline.arithmetic_intensity = summary->figures.flop_per_byte;
    ret->roofline.recommendations = advice;
    ret->roofline.recommendation_count = 1;
    if (!isfinite(ridge)) {
        advice[0] = "measure this device's ceilings (assay devices --ceilings): without them no bottleneck "
                    "can be named";
        return;
    }
    ret->roofline.bottleneck = is_compute ? "Compute" : "Memory Bandwidth";
    ret->roofline.efficiency_pct = 100 * (is_compute ? summary->figures.gflop_per_s / ceilings->gflop_per_s
                                                     : summary->figures.gb_per_s / ceilings->gb_per_s);
    advice[0] = is_compute ? "above the ridge: fewer or wider instructions, more work in flight"
                           : "below the ridge: fewer bytes, by larger tiles or by keeping operands near";
}

int integrated_from_result(const struct result *result, size_t case_index, uint32_t side, struct arena *arena,
                           struct integrated *ret, struct err *err) {
    const struct result_case *item = &result->cases[case_index];
    const struct check_result *check = &item->checks[side];
    struct summary summary;
    struct integrated document = {.kernel_name = arena_strdup(arena, result->sides[side].label)};
    if (summary_get(result, item, side, &summary) < 0)
        return err_set(err, ERR_INTERNAL, "not enough memory for the figures of %s", item->problem.name);
    document.correctness.passed = check->outcome == OUTCOME_OK;
    if (!summary.figures.is_set && document.correctness.passed)
        return err_set(err, ERR_DATA, "%s was not measured on %s: there is no mean to write",
                       item->problem.name, result->sides[side].label);
    bool has_errors = check->tensor_count > 0;
    document.correctness.max_abs_error = has_errors ? check->tensors[0].max_abs : NAN;
    document.correctness.mean_abs_error = has_errors ? check->tensors[0].mean_abs : NAN;
    document.correctness.correlation = has_errors ? check->tensors[0].correlation : NAN;
    document.performance.mean_time_ms = summary.figures.mean_ns * MS_PER_NS;
    document.performance.std_dev_ms = summary.figures.sd_ns * MS_PER_NS;
    document.performance.throughput_gflops =
        problem_flops(&item->problem) / summary.figures.mean_ns; // of the mean, like all figures here
    document.performance.bandwidth_gb_s = problem_bytes(&item->problem) / summary.figures.mean_ns;
    document.roofline.efficiency_pct = document.roofline.arithmetic_intensity = NAN;
    set_config(item->problem.name, arena, &document);
    if (result->created_utc && strlen(result->created_utc) >= 19) { // "2026-11-21T12:00:00Z"
        char *timestamp = arena_strndup(arena, result->created_utc, 19);
        timestamp[10] = ' ';
        document.timestamp = timestamp;
    }
    const struct problem_ceilings ceilings =
        problem_ceilings_get(&result->environment, &item->problem, summary.figures.kernel_clock_hz);
    if (summary.figures.is_set) set_roofline(&ceilings, &summary, arena, &document);
    *ret = document;
    return 0;
}
