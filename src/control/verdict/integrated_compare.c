// SPDX-License-Identifier: Apache-2.0
//
// Two means of the older `integrated` form against each other, and such a document from a measured result.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_writer.h"
#include "control/verdict/integrated.h"
#include "control/verdict/summary.h"

#define MS_PER_NS 1e-6

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
    strbuf_add(
        out,
        "Two means without samples: nothing is certified (assay gate measures in rounds and decides).\n");
}

// Sizes by the fields of the problem's name: b8, h4, s64 (or sq64), d64; the first field is the type.
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

// "2026-11-21T12:00:00Z" -> "2026-11-21 12:00:00"
static const char *timestamp_of(const char *created_utc, struct arena *arena) {
    if (!created_utc || strlen(created_utc) < 19) return NULL;
    char *text = arena_strndup(arena, created_utc, 19);
    text[10] = ' ';
    return text;
}

static void set_roofline(const struct result *result, const struct summary *summary, struct arena *arena,
                         struct integrated *ret) {
    double ridge = result->environment.ceiling_gflop_per_s / result->environment.ceiling_gb_per_s;
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
    ret->roofline.efficiency_pct =
        100 * (is_compute ? summary->figures.gflop_per_s / result->environment.ceiling_gflop_per_s
                          : summary->figures.gb_per_s / result->environment.ceiling_gb_per_s);
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
        problem_flops(&item->problem) / summary.figures.mean_ns; // of the mean, as all here
    document.performance.bandwidth_gb_s = problem_bytes(&item->problem) / summary.figures.mean_ns;
    document.roofline.efficiency_pct = document.roofline.arithmetic_intensity = NAN;
    set_config(item->problem.name, arena, &document);
    document.timestamp = timestamp_of(result->created_utc, arena);
    if (summary.figures.is_set) set_roofline(result, &summary, arena, &document);
    *ret = document;
    return 0;
}
