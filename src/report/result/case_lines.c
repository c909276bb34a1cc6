// SPDX-License-Identifier: Apache-2.0
//
// The lines of one problem: the result of its check, and of its measurement. Layout only; figures come with
// the summary.
#include "report/result/case_lines.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/term.h"
#include "report/result/figure_text.h"
#include "report/result/report_parts.h"

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

static enum term_style outcome_style(enum outcome outcome) {
    if (outcome == OUTCOME_OK) return TERM_GREEN;
    return outcome == OUTCOME_UNSUPPORTED || outcome == OUTCOME_SKIPPED || outcome == OUTCOME_NONE
               ? TERM_YELLOW
               : TERM_RED;
}

const char *check_text(const struct check_result *check, struct arena *arena) {
    struct strbuf text = {0};
    if (check->outcome == OUTCOME_OK || check->outcome == OUTCOME_NONE) return "";
    strbuf_add(&text, check->message); // says what, where, expected and got
    for (int i = 0; i < check->tensor_count && i < CHECK_TENSORS_MAX && text.length == 0; ++i) {
        const struct tensor_error *error = &check->tensors[i];
        if (error->failed_count == 0) continue;
        strbuf_addf(&text, "%s[", error->tensor);
        for (int d = 0; d < error->dim_count && d < CHECK_DIMS_MAX; ++d)
            strbuf_addf(&text, "%s%" PRId64, d ? "," : "", error->worst_coord[d]);
        strbuf_addf(&text, "] expected %.9g, got %.9g (%" PRIu64 " of %" PRIu64 " elements)",
                    error->worst_expected, error->worst_got, error->failed_count, error->element_count);
    }
    const char *finding = check->finding != FINDING_NONE ? finding_name(check->finding) : "";
    const char *ret =
        arena_format(arena, "%s%s%s", finding, *finding && text.length ? ": " : "", strbuf_text(&text));
    strbuf_fini(&text);
    return ret;
}

const char *check_command_after(const struct result *result, const struct result_case *item, uint32_t side,
                                const struct problem *before, size_t before_count, struct arena *arena) {
    const struct result_side *who = &result->sides[side];
    struct strbuf text = {0};
    strbuf_add(&text, "assay fuzz");
    if (result->manifest) {
        strbuf_add(&text, " --manifest ");
        strbuf_add_shell_word(&text, result->manifest);
    }
    if (who->reproduce) {
        strbuf_addf(&text, " %s", who->reproduce);
    } else if (who->kernel) { // results of older versions lack the options as one text
        strbuf_addf(&text, " --kernel %s", who->kernel);
        if (who->config) strbuf_addf(&text, " --config \"%s\"", who->config);
    } else if (who->module_path) {
        strbuf_add(&text, " --module ");
        strbuf_add_shell_word(&text, who->module_path);
    }
    strbuf_add(&text, " --problem ");
    for (size_t i = 0; i < before_count; ++i) strbuf_addf(&text, "%s,", before[i].name);
    strbuf_addf(&text, "%s --seed %" PRIu64, item->problem.name, item->seed);
    if (item->distribution && !str_equal(item->distribution, OP_DISTRIBUTION_DEFAULT))
        strbuf_addf(&text, " --distribution %s", item->distribution);
    if (item->memory_layout > MEMORY_LAYOUT_DENSE)
        strbuf_addf(&text, " --memory-layout %s", memory_layout_name(item->memory_layout));
    if (result->repeat_count) strbuf_addf(&text, " --repeat %" PRIu32, result->repeat_count);
    if (result->thread_count) strbuf_addf(&text, " --threads %" PRIu32, result->thread_count);
    const char *ret = arena_strdup(arena, strbuf_text(&text));
    strbuf_fini(&text);
    return ret;
}

const char *check_command(const struct result *result, const struct result_case *item, uint32_t side,
                          struct arena *arena) {
    return check_command_after(result, item, side, NULL, 0, arena);
}

// Figures that result.json has too: on a page where they would need a line of their own they are left out.
static void add_if_it_fits(struct strbuf *out, const char *text) {
    const char *line = out->length ? memrchr(out->text, '\n', out->length) : NULL;
    const size_t width = str_width(line ? line + 1 : strbuf_text(out)) + str_width(text);
    if (!term_page_columns() || width <= term_page_columns()) strbuf_add(out, text);
}

void case_line_check(const struct case_line *line, struct strbuf *out) {
    const struct result_case *item = line->item;
    const struct check_result *check = &item->checks[line->side];
    struct arena arena = {0};
    add_number(line, out);
    strbuf_add_plain(out, item->problem.name, term_has_utf8());
    if (item->distribution && !str_equal(item->distribution, OP_DISTRIBUTION_DEFAULT))
        strbuf_addf(out, " %s", item->distribution);
    if (item->memory_layout > MEMORY_LAYOUT_DENSE)
        strbuf_addf(out, " %s", memory_layout_name(item->memory_layout));
    add_label(line, out);
    strbuf_add(out, " ... ");
    term_add(out, line->has_color, outcome_style(check->outcome),
             check->outcome == OUTCOME_OK ? "PASS" : outcome_name(check->outcome));
    double max_abs = NAN, max_rel = NAN; // over the output tensors
    for (int i = 0; i < check->tensor_count && i < CHECK_TENSORS_MAX; ++i) {
        max_abs = fmax(max_abs, check->tensors[i].max_abs);
        max_rel = fmax(max_rel, check->tensors[i].max_rel);
    }
    const bool is_wrong = outcome_is_wrong(check->outcome);
    if (check->outcome == OUTCOME_OK && isfinite(max_abs) && isfinite(max_rel))
        add_if_it_fits(out, arena_format(&arena, " (abs %.1e, rel %.1e)", max_abs, max_rel));
    else if (check->outcome != OUTCOME_OK && !is_wrong && *check->message) {
        strbuf_add(out, " (");
        strbuf_add_plain(out, check->message, true);
        strbuf_add_char(out, ')');
    }
    strbuf_add_char(out, '\n');
    if (is_wrong) {
        const char *words = check_text(check, &arena);
        if (*words) strbuf_add_linef(out, "        %s", words);
        if (line->no_repeat)
            strbuf_add_linef(out, "        %s", line->no_repeat);
        else
            strbuf_add_linef(out, "        repeat: %s",
                             check_command(line->result, item, line->side, &arena));
    }
    arena_fini(&arena);
}

const char *case_line_rates(const struct summary *summary, struct arena *arena) {
    const struct device_state *state = &summary->state;
    const struct case_summary *rates = &summary->figures;
    char bytes[FIGURE_TEXT_BYTES] = "";
    if (isfinite(rates->peak_memory_bytes)) term_format_bytes(rates->peak_memory_bytes, bytes, sizeof bytes);
    // The clock under the kernel if it is known: it may differ between sides and explain their times.
    const double hz = isfinite(rates->kernel_clock_hz) ? rates->kernel_clock_hz : state->clock_hz;
    const bool is_gpu = isfinite(rates->kernel_clock_hz) || isfinite(state->memory_clock_hz);
    const char *const texts[] = {figure_flop_rate(rates->gflop_per_s, arena),
                                 figure_byte_rate(rates->gb_per_s, arena), bytes,
                                 figure_energy(rates->launch_energy_j, arena)};
    const struct {
        double value, scale;
        const char *unit;
    } figures[] = {
        {rates->ceiling_pct, 1, "% of ceiling"},
        {state->temperature_c, 1, "C"},
        {hz, 1e-6, is_gpu ? "MHz SM" : "MHz"}, // a processor has one clock only
        {isfinite(hz) ? NAN : summary->clock_probe_high_hz, 1e-6, "MHz probe"},
        {state->memory_clock_hz, 1e-6, "MHz mem"},
        {isfinite(rates->power_w) ? rates->power_w : state->power_w, 1,
         "W"}, // the side's own, if it is known
    };
    struct strbuf text = {0};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
        if (*texts[i]) strbuf_addf(&text, "%s%s", text.length ? "  " : "", texts[i]);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; ++i)
        if (isfinite(figures[i].value))
            strbuf_addf(&text, "%s%.0f %s", text.length ? "  " : "", figures[i].value * figures[i].scale,
                        figures[i].unit);
    const char *ret = arena_strdup(arena, strbuf_text(&text));
    strbuf_fini(&text);
    return ret;
}

// A percentile; the unit is left out if it is the median's.
static void add_percentile(const char *name, double ns, const char *median, struct arena *arena,
                           struct strbuf *out) {
    const char *text = figure_time(ns, arena);
    const size_t digits = strcspn(text, " ");
    const bool is_same_unit = str_equal(text + digits, median + strcspn(median, " "));
    if (*text) strbuf_addf(out, "  %s %.*s%s", name, (int)digits, text, is_same_unit ? "" : text + digits);
}

// What was measured, though it does not count: the reader may want to know the order of magnitude.
static void add_invalid_times(const struct case_line *line, struct arena *arena, struct strbuf *out) {
    struct invalid_times times;
    if (outcome_is_wrong(result_case_outcome(line->item, line->side)) ||
        invalid_times_get(line->item, line->side, &times) < 0 || !times.count)
        return;
    strbuf_addf(out, "  median %s", figure_time(times.median_ns, arena));
    if (times.count > 1)
        strbuf_addf(out, " (%s in %zu measurements, none of which counts)",
                    figure_time_interval(times.low_ns, times.high_ns, times.median_ns, arena), times.count);
    else
        strbuf_add(out, " (of a measurement that does not count)");
}

// Behind the name that begins at `start`; on a narrow page below it.
static void add_figures(struct strbuf *out, int indent, size_t start, const char *text) {
    const size_t page = term_page_columns(), width = str_width(out->text + start) + 2 + str_width(text);
    if (!page || width <= page) {
        strbuf_addf(out, "  %s", text);
        return;
    }
    strbuf_addf(out, "\n%*s", indent, "");
    term_add_wrapped(out, false, TERM_PLAIN, (size_t)indent, text);
}

void case_line_bench(const struct case_line *line, const struct summary *summary, struct strbuf *out) {
    const struct case_summary *figures = &summary->figures;
    struct arena arena = {0};
    size_t start = out->length;
    add_number(line, out);
    int indent = (int)(out->length - start);
    strbuf_add_plain(out, result_case_name(line->item),
                     term_has_utf8()); // a newline in it would end the line of a report
    add_label(line, out);
    if (!figures->is_set) {
        enum outcome outcome = result_case_outcome(line->item, line->side);
        const char *words = check_text(&line->item->checks[line->side], &arena);
        strbuf_add(out, "  ");
        term_add(out, line->has_color, outcome_style(outcome), report_untimed_label(outcome));
        strbuf_addf(out, "%s", *words ? ": " : "");
        strbuf_add_plain(out, words, term_has_utf8());
        add_invalid_times(line, &arena, out);
        strbuf_add_char(out, '\n');
        arena_fini(&arena);
        return;
    }
    const char *median = figure_time(figures->median_ns, &arena);
    struct strbuf text = {0};
    strbuf_addf(
        &text, "median %s (95 %% %s)", median,
        figure_time_interval(figures->median_low_ns, figures->median_high_ns, figures->median_ns, &arena));
    add_percentile("P95", figures->p95_ns, median, &arena, &text);
    add_percentile("P99", figures->p99_ns, median, &arena, &text);
    if (isfinite(figures->cv_pct)) strbuf_addf(&text, "  CV %.1f %%", figures->cv_pct);
    add_figures(out, indent, start, strbuf_text(&text));
    strbuf_fini(&text);
    strbuf_addf(out, "\n%*s", indent, "");
    term_add_wrapped(out, false, TERM_PLAIN, (size_t)indent, case_line_rates(summary, &arena));
    strbuf_add_char(out, '\n');
    if (summary_has_call(line->result, summary))
        strbuf_addf(out, "%*ssingle call %s (wall)\n", indent, "",
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

const char *check_tally(const struct result *result, uint32_t side, bool is_matrix, struct arena *arena) {
    const struct check_counts counts = check_counts_get(result, side, is_matrix);
    const struct {
        size_t count;
        const char *what;
    } others[] = {
        {counts.failed, "failed"},       {counts.crashed, "crashed"},
        {counts.timed_out, "timed out"}, {counts.unsupported, "not supported"},
        {counts.skipped, "skipped"},     {counts.not_valid, "not valid"},
        {counts.open, "not checked"},
    };
    struct strbuf text = {0};
    if (result->sides[side].label) strbuf_addf(&text, "%s: ", result_side_name(result, side, arena));
    strbuf_addf(&text, "%zu/%zu %s", counts.passed, counts.total,
                str_equal(result->not_checked, RESULT_TIMES_ONLY) ? "ran, " RESULT_TIMES_ONLY : "passed");
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
        if (others[i].count) strbuf_addf(&text, ", %zu %s", others[i].count, others[i].what);
    const char *ret = arena_strdup(arena, strbuf_text(&text));
    strbuf_fini(&text);
    return ret;
}
