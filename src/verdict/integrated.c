// SPDX-License-Identifier: Apache-2.0
//
// The older `integrated` form: reading, writing, comparing two files, and making one from a result. Code in
// format/ tells it from other forms.
#include "verdict/integrated.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/mem.h"
#include "base/signed_figure.h"
#include "profile/thresholds.h"
#include "verdict/summary.h"

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

// ---- for people ----

// Beyond which improvement in per cent a change is called what.
#define SIGNIFICANT_PCT 10.0
#define IMPROVEMENT_PCT 3.0

const char *integrated_status(const struct integrated_comparison *comparison) {
    const double pct = comparison->improvement_pct;
    return comparison->is_wrong        ? "WRONG RESULT"
           : comparison->is_regression ? "REGRESSION"
           : pct >= SIGNIFICANT_PCT    ? "SIGNIFICANT IMPROVEMENT"
           : pct >= IMPROVEMENT_PCT    ? "IMPROVEMENT"
           : pct > 0                   ? "SLIGHT IMPROVEMENT"
           : pct < 0                   ? "SLIGHT REGRESSION"
                                       : "NO CHANGE";
}

void integrated_print(const struct integrated *document, struct strbuf *out) {
    strbuf_add_linef(out, "Kernel:       %s", str_or(document->kernel_name, "not named"));
    strbuf_addf(out, "Correctness:  %s\n", document->correctness.passed ? "PASSED" : "FAILED");
    if (isfinite(document->performance.mean_time_ms))
        strbuf_addf(out, "Mean time:    %.4f ms (sd %.4f ms)\nThroughput:   %.2f GFLOP/s\n",
                    document->performance.mean_time_ms, document->performance.std_dev_ms,
                    document->performance.throughput_gflops);
    if (document->roofline.bottleneck)
        strbuf_addf(out, "Bottleneck:   %s, %.1f %% of its roof\n", document->roofline.bottleneck,
                    document->roofline.efficiency_pct);
    for (size_t i = 0; i < document->roofline.recommendation_count; ++i)
        strbuf_add_linef(out, "Recommended:  %s", document->roofline.recommendations[i]);
}

// "Mean time:    2.0000 ms -> 1.9800 ms (-1.00 %)"; nothing where one of them is not known.
static void add_change(struct strbuf *out, const char *name, const char *unit, double before, double now) {
    if (isfinite(before) && isfinite(now) && before > 0)
        strbuf_addf(out, "%-13s %.4f %s -> %.4f %s (%s %%)\n", name, before, unit, now, unit,
                    signed_figure(100 * (now - before) / before, 2).text);
}

static void add_impossible(struct strbuf *out, const char *which, const struct integrated *document) {
    const double pct = document->roofline.efficiency_pct;
    if (document->roofline.is_present && pct > thresholds.accounting_pct)
        strbuf_addf(
            out,
            "note: the %s's roofline claims %.0f %% of its ceiling, more than all (threshold %g %%): an "
            "accounting error; its bottleneck and recommendations count for nothing\n",
            which, pct, thresholds.accounting_pct);
}

static void add_verdict(const struct integrated_comparison *comparison, struct strbuf *out) {
    strbuf_add(out, comparison->is_regression ? "regression" : "no regression");
    if (comparison->is_wrong) strbuf_add(out, ": the current kernel's result is wrong");
}

void integrated_comparison_line(const struct integrated_comparison *comparison, struct strbuf *out) {
    add_verdict(comparison, out);
    if (isfinite(comparison->improvement_pct))
        strbuf_addf(out, ": %.2f %% %s", fabs(comparison->improvement_pct),
                    comparison->improvement_pct < 0 ? "slower" : "faster");
    strbuf_addf(out, " (exit %d)\n", integrated_exit_code(comparison));
}

void integrated_comparison_print(const struct integrated_comparison *comparison,
                                 const struct integrated *baseline, const struct integrated *current,
                                 struct strbuf *out) {
    const char *kernels[] = {str_or(baseline->kernel_name, "not named"),
                             str_or(current->kernel_name, "not named")};
    strbuf_add_linef(out, "Kernel:       %s -> %s", kernels[0], kernels[1]);
    add_change(out, "Mean time:", "ms", comparison->baseline_time_ms, comparison->current_time_ms);
    add_change(out, "Throughput:", "GFLOP/s", baseline->performance.throughput_gflops,
               current->performance.throughput_gflops);
    if (isfinite(comparison->improvement_pct))
        strbuf_addf(out, "Speed-up:     %.3fx\nImprovement:  %s %%\n", comparison->speedup,
                    signed_figure(comparison->improvement_pct, 2).text);
    strbuf_addf(out, "Status:       %s\n\n", integrated_status(comparison));
    if (isfinite(comparison->improvement_pct))
        strbuf_addf(out, "change    %.2f %% %s, threshold %.1f %% of improvement\n",
                    fabs(comparison->improvement_pct), comparison->improvement_pct < 0 ? "slower" : "faster",
                    comparison->threshold);
    strbuf_add(out, "verdict   ");
    add_verdict(comparison, out);
    strbuf_add_char(out, '\n');
    add_impossible(out, "baseline", baseline);
    add_impossible(out, "current file", current);
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

// The two words of this form. A launch bound by neither is called after its roof.
static const char *bottleneck_word(const struct roofline_place *place) {
    switch (place->diagnosis.bottleneck) {
    case BOTTLENECK_UNKNOWN:
    case BOTTLENECK_ACCOUNTING_ERROR: return NULL;
    case BOTTLENECK_COMPUTE:
    case BOTTLENECK_LEANS_COMPUTE: return "Compute";
    case BOTTLENECK_MEMORY:
    case BOTTLENECK_LEANS_MEMORY: return "Memory Bandwidth";
    default: return !place->roof ? NULL : place->roof->is_bandwidth ? "Memory Bandwidth" : "Compute";
    }
}

static void recommend(struct integrated *ret, const char *text) {
    ret->roofline.recommendations[ret->roofline.recommendation_count++] = text;
}

static void set_roofline(const struct roofline_place *place, struct arena *arena, struct integrated *ret) {
    const struct diagnosis *d = &place->diagnosis;
    ret->roofline.is_present = true;
    ret->roofline.arithmetic_intensity = place->flop_per_byte;
    ret->roofline.efficiency_pct = place->efficiency_pct;
    ret->roofline.bottleneck = bottleneck_word(place);
    ret->roofline.recommendations =
        arena_array(arena, 1 + d->hypothesis_count + d->note_count, sizeof *ret->roofline.recommendations);
    if (!ret->roofline.bottleneck) recommend(ret, d->because);
    for (size_t i = 0; i < d->hypothesis_count; ++i) {
        const struct hypothesis *one = &d->hypotheses[i];
        const char *gain = isfinite(one->gain) ? arena_format(arena, ", up to %.2f x", one->gain) : "";
        recommend(ret, arena_format(arena, "%s%s (%s): %s", one->text, gain, one->metric, one->test));
    }
    for (size_t i = 0; i < d->note_count; ++i) recommend(ret, d->notes[i]);
}

int integrated_from_result(const struct result *result, const struct integrated_choice *choice,
                           struct arena *arena, struct integrated *ret, struct err *err) {
    const uint32_t side = choice->side;
    const struct result_case *item = &result->cases[choice->case_index];
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
        item->work.flop_count / summary.figures.mean_ns; // of the mean, like all figures here
    document.performance.bandwidth_gb_s = item->work.compulsory_bytes / summary.figures.mean_ns;
    document.roofline.efficiency_pct = document.roofline.arithmetic_intensity = NAN;
    set_config(item->problem.name, arena, &document);
    if (result->created_utc && strlen(result->created_utc) >= 19) { // "2026-11-21T12:00:00Z"
        char *timestamp = arena_strndup(arena, result->created_utc, 19);
        timestamp[10] = ' ';
        document.timestamp = timestamp;
    }
    if (summary.figures.is_set) set_roofline(choice->place, arena, &document);
    *ret = document;
    return 0;
}
