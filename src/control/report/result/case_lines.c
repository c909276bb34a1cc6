// SPDX-License-Identifier: Apache-2.0
//
// The lines of one problem: what its check found, what its measurement gave. Layout only; figures come with
// the summary.
#include "control/report/result/case_lines.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/term.h"
#include "control/report/result/figure_text.h"

static void add_number(const struct case_line *line, struct strbuf *out) {
    if (line->total) strbuf_addf(out, "[%zu/%zu] ", line->number, line->total);
}

static void add_label(const struct case_line *line, struct strbuf *out) {
    struct arena arena = {0};
    if (line->has_label && line->result->sides[line->side].label)
        strbuf_addf(
            out, " [%s]",
            figure_plain(result_side_name(line->result, line->side, &arena), term_has_utf8(), &arena));
    arena_fini(&arena);
}

// Inputs that are not the ordinary ones belong to the case's name.
static void add_inputs(const struct result_case *item, struct strbuf *out) {
    bool has_distribution = item->distribution && !str_equal(item->distribution, OP_DISTRIBUTION_DEFAULT);
    bool has_memory_layout = item->memory_layout > MEMORY_LAYOUT_DENSE;
    if (has_distribution) strbuf_addf(out, " %s", item->distribution);
    if (has_memory_layout) strbuf_addf(out, " %s", memory_layout_name(item->memory_layout));
}

static const char *outcome_word(enum outcome outcome) {
    return outcome == OUTCOME_OK ? "PASS" : outcome_name(outcome);
}

static enum term_style outcome_style(enum outcome outcome) {
    if (outcome == OUTCOME_OK) return TERM_GREEN;
    return outcome == OUTCOME_UNSUPPORTED || outcome == OUTCOME_SKIPPED || outcome == OUTCOME_NONE
               ? TERM_YELLOW
               : TERM_RED;
}

// The largest error over the output tensors.
static void add_errors(const struct check_result *check, struct strbuf *out) {
    double max_abs = NAN, max_rel = NAN;
    for (int i = 0; i < check->tensor_count && i < CHECK_TENSORS_MAX; ++i) {
        max_abs = fmax(max_abs, check->tensors[i].max_abs);
        max_rel = fmax(max_rel, check->tensors[i].max_rel);
    }
    if (isfinite(max_abs) && isfinite(max_rel)) strbuf_addf(out, " (abs %.1e, rel %.1e)", max_abs, max_rel);
}

static void add_coordinate(const struct tensor_error *error, struct strbuf *out) {
    strbuf_addf(out, "%s[", error->tensor);
    for (int i = 0; i < error->dim_count && i < CHECK_DIMS_MAX; ++i)
        strbuf_addf(out, "%s%" PRId64, i ? "," : "", error->worst_coord[i]);
    strbuf_add(out, "]");
}

const char *check_text(const struct check_result *check, struct arena *arena) {
    struct strbuf text = {0};
    if (check->outcome == OUTCOME_OK || check->outcome == OUTCOME_NONE) return "";
    strbuf_add(&text, check->message); // says what, where, expected and got
    for (int i = 0; i < check->tensor_count && i < CHECK_TENSORS_MAX && text.length == 0; ++i) {
        const struct tensor_error *error = &check->tensors[i];
        if (error->failed_count == 0) continue;
        add_coordinate(error, &text);
        strbuf_addf(&text, " expected %.9g, got %.9g (%" PRIu64 " of %" PRIu64 " elements)",
                    error->worst_expected, error->worst_got, error->failed_count, error->element_count);
    }
    const char *finding = check->finding != FINDING_NONE ? finding_name(check->finding) : "";
    const char *ret =
        arena_format(arena, "%s%s%s", finding, *finding && text.length ? ": " : "", strbuf_text(&text));
    strbuf_fini(&text);
    return ret;
}

// What names the kernel again. Results of earlier runs do not say it in one.
static void add_kernel_options(const struct result_side *who, struct strbuf *text) {
    if (who->reproduce) {
        strbuf_addf(text, " %s", who->reproduce);
    } else if (who->kernel) {
        strbuf_addf(text, " --kernel %s", who->kernel);
        if (who->config) strbuf_addf(text, " --config \"%s\"", who->config);
    } else if (who->module_path) {
        strbuf_add(text, " --module ");
        strbuf_add_shell_word(text, who->module_path);
    }
}

const char *check_command(const struct result *result, const struct result_case *item, uint32_t side,
                          struct arena *arena) {
    struct strbuf text = {0};
    strbuf_add(&text, "assay fuzz");
    if (result->manifest) {
        strbuf_add(&text, " --manifest ");
        strbuf_add_shell_word(&text, result->manifest);
    }
    add_kernel_options(&result->sides[side], &text);
    strbuf_addf(&text, " --problem %s --seed %" PRIu64, item->problem.name, item->seed);
    if (item->distribution && !str_equal(item->distribution, OP_DISTRIBUTION_DEFAULT))
        strbuf_addf(&text, " --family %s", item->distribution);
    if (item->memory_layout > MEMORY_LAYOUT_DENSE)
        strbuf_addf(&text, " --placement %s", memory_layout_name(item->memory_layout));
    if (result->repeat_count) strbuf_addf(&text, " --repeat %" PRIu32, result->repeat_count);
    if (result->thread_count) strbuf_addf(&text, " --threads %" PRIu32, result->thread_count);
    const char *ret = arena_strdup(arena, strbuf_text(&text));
    strbuf_fini(&text);
    return ret;
}

void case_line_check(const struct case_line *line, struct strbuf *out) {
    const struct check_result *check = &line->item->checks[line->side];
    struct arena arena = {0};
    add_number(line, out);
    strbuf_add_plain(out, line->item->problem.name, term_has_utf8());
    add_inputs(line->item, out);
    add_label(line, out);
    strbuf_add(out, " ... ");
    term_add(out, line->has_color, outcome_style(check->outcome), outcome_word(check->outcome));
    if (check->outcome == OUTCOME_OK)
        add_errors(check, out);
    else if (!outcome_is_wrong(check->outcome) && *check->message)
        strbuf_addf(out, " (%s)", check->message);
    strbuf_add(out, "\n");
    if (outcome_is_wrong(check->outcome)) {
        const char *words = check_text(check, &arena);
        if (*words) strbuf_addf(out, "        %s\n", words);
        strbuf_addf(out, "        repeat: %s\n", check_command(line->result, line->item, line->side, &arena));
    }
    arena_fini(&arena);
}

static void add_part(struct strbuf *text, const char *part) {
    if (*part) strbuf_addf(text, "%s%s", text->length ? "  " : "", part);
}

static void add_figure(struct strbuf *text, double value, double scale, const char *unit) {
    if (isfinite(value)) strbuf_addf(text, "%s%.0f %s", text->length ? "  " : "", value * scale, unit);
}

const char *case_line_rates(const struct summary *summary, struct arena *arena) {
    const struct device_state *state = &summary->state;
    struct strbuf text = {0};
    char bytes[FIGURE_TEXT_BYTES] = "";
    if (isfinite(summary->figures.peak_memory_bytes))
        term_format_bytes(summary->figures.peak_memory_bytes, bytes, sizeof bytes);
    add_part(&text, figure_flop_rate(summary->figures.gflop_per_s, arena));
    add_part(&text, figure_byte_rate(summary->figures.gb_per_s, arena));
    add_part(&text, bytes);
    if (isfinite(summary->figures.ceiling_pct))
        add_part(&text, arena_format(arena, "%.0f %% of ceiling", summary->figures.ceiling_pct));
    add_figure(&text, state->temperature_c, 1, "C");
    // A GPU says its SM clock beside its memory clock; a processor has one clock only.
    // Under the kernel itself where that is known: it may differ between sides, and explains them.
    const double kernel_hz = summary->figures.kernel_clock_hz;
    add_figure(&text, isfinite(kernel_hz) ? kernel_hz : state->clock_hz, 1e-6,
               isfinite(kernel_hz) || isfinite(state->memory_clock_hz) ? "MHz SM" : "MHz");
    if (!isfinite(kernel_hz) && !isfinite(state->clock_hz))
        add_figure(&text, summary->clock_probe_high_hz, 1e-6, "MHz spin");
    add_figure(&text, state->memory_clock_hz, 1e-6, "MHz mem");
    add_figure(&text, state->power_w, 1, "W");
    const char *ret = arena_strdup(arena, strbuf_text(&text));
    strbuf_fini(&text);
    return ret;
}

// P95 and P99 in the median's unit without repeating it.
static const char *bare_time(double ns, struct arena *arena) {
    const char *text = figure_time(ns, arena);
    return arena_strndup(arena, text, strcspn(text, " "));
}

static bool is_same_unit(double a_ns, double b_ns, struct arena *arena) {
    const char *a = strchr(figure_time(a_ns, arena), ' '), *b = strchr(figure_time(b_ns, arena), ' ');
    return a && b && str_equal(a, b);
}

static void add_percentile(const char *name, double ns, double median_ns, struct arena *arena,
                           struct strbuf *out) {
    bool is_bare = is_same_unit(ns, median_ns, arena);
    if (isfinite(ns))
        strbuf_addf(out, "  %s %s", name, is_bare ? bare_time(ns, arena) : figure_time(ns, arena));
}

void case_line_bench(const struct case_line *line, const struct summary *summary, struct strbuf *out) {
    const struct case_summary *figures = &summary->figures;
    struct arena arena = {0};
    size_t start = out->length;
    add_number(line, out);
    size_t indent = out->length - start;
    strbuf_add_plain(out, result_case_name(line->item),
                     term_has_utf8()); // a report parts both lines at the newline
    add_label(line, out);
    if (!figures->is_set) {
        enum outcome outcome = result_case_outcome(line->item, line->side);
        strbuf_add(out, "  ");
        term_add(out, line->has_color, outcome_style(outcome),
                 outcome == OUTCOME_OK || outcome == OUTCOME_NONE ? "not measured" : outcome_name(outcome));
        const char *words = check_text(&line->item->checks[line->side], &arena);
        strbuf_addf(out, "%s%s\n", *words ? ": " : "", words);
        arena_fini(&arena);
        return;
    }
    strbuf_addf(out, "  median %s", figure_time(figures->median_ns, &arena));
    strbuf_addf(out, " (95 %% %s)",
                figure_time_interval(figures->median_low_ns, figures->median_high_ns, &arena));
    add_percentile("P95", figures->p95_ns, figures->median_ns, &arena, out);
    add_percentile("P99", figures->p99_ns, figures->median_ns, &arena, out);
    if (isfinite(figures->cv_pct)) strbuf_addf(out, "  CV %.1f %%", figures->cv_pct);
    strbuf_addf(out, "\n%*s%s\n", (int)indent, "", case_line_rates(summary, &arena));
    if (summary_has_call(line->result, summary))
        strbuf_addf(out, "%*ssingle call %s (wall)\n", (int)indent, "",
                    figure_time(figures->call_wall_ns, &arena));
    arena_fini(&arena);
}

struct check_counts check_counts_get(const struct result *result, uint32_t side, bool is_matrix) {
    struct check_counts ret = {.total = is_matrix ? result->check_count : result->case_count};
    for (size_t i = 0; i < ret.total; ++i) {
        const struct result_case *item = is_matrix ? &result->checks[i] : &result->cases[i];
        enum outcome outcome = item->checks[side].outcome;
        ret.passed += outcome == OUTCOME_OK;
        ret.failed += outcome == OUTCOME_FAIL;
        ret.crashed += outcome == OUTCOME_CRASHED;
        ret.timed_out += outcome == OUTCOME_TIMEOUT;
        ret.unsupported += outcome == OUTCOME_UNSUPPORTED;
        ret.skipped += outcome == OUTCOME_SKIPPED;
        ret.not_valid += outcome == OUTCOME_NOT_VALID;
        ret.open += outcome == OUTCOME_NONE;
    }
    return ret;
}

static void add_count(struct strbuf *text, size_t count, const char *what) {
    if (count) strbuf_addf(text, ", %zu %s", count, what);
}

const char *check_tally(const struct result *result, uint32_t side, bool is_matrix, struct arena *arena) {
    struct check_counts counts = check_counts_get(result, side, is_matrix);
    struct strbuf text = {0};
    bool has_label = result->sides[side].label != NULL;
    strbuf_addf(&text, "%s%s%zu/%zu passed", has_label ? result_side_name(result, side, arena) : "",
                has_label ? ": " : "", counts.passed, counts.total);
    add_count(&text, counts.failed, "failed");
    add_count(&text, counts.crashed, "crashed");
    add_count(&text, counts.timed_out, "timed out");
    add_count(&text, counts.unsupported, "not supported");
    add_count(&text, counts.skipped, "skipped");
    add_count(&text, counts.not_valid, "not valid");
    add_count(&text, counts.open, "not checked");
    const char *ret = arena_strdup(arena, strbuf_text(&text));
    strbuf_fini(&text);
    return ret;
}
