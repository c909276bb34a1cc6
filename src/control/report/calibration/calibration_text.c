// SPDX-License-Identifier: Apache-2.0
//
// See calibration_report.h: the text. Verdict first, then where, the table of problems, accusations, power.
#include <math.h>
#include <string.h>

#include "base/strbuf.h"
#include "control/report/calibration/calibration_report.h"
#include "control/report/result/figure_text.h"
#include "control/verdict/rounds/rounds.h"

#define WIDTH 100 // of a line; file names alone are never cut

// One number of decimals in every column.
static const char *fine_pct(double pct, struct arena *arena) {
    return isfinite(pct) ? arena_format(arena, "%.2f %%", pct) : "";
}

static const char *cut(const char *text, size_t limit, struct arena *arena) {
    if (strlen(text) <= limit) return text;
    return arena_format(arena, "%.*s...", (int)str_fitting(text, limit - 3), text);
}

static const char *plural(size_t count) {
    return count == 1 ? "" : "s";
}

// ---- where and what ----

static const char *pairs_text(const struct calibration_study *study, struct arena *arena) {
    if (!study->sample_count_noisy)
        return arena_format(arena, "%u pairs a round", (unsigned)study->sample_count);
    return arena_format(arena, "%u pairs a round (%u above CV 3 %%, %u above 5 %%)",
                        (unsigned)study->sample_count, (unsigned)study->sample_count_noisy,
                        (unsigned)study->sample_count_noisier);
}

static void add_facts(const struct calibration_report *report, struct report_blocks *blocks) {
    struct arena *arena = blocks->arena;
    const struct calibration *calibration = report->calibration;
    const struct calibration_study *study = &report->studies[report->study_count - 1];
    struct report_block *facts = report_block_add(blocks, REPORT_FACTS, NULL);
    const char *device = arena_format(
        arena, "%s, %lld thread%s%s%s", calibration->device ? calibration->device : "?",
        (long long)calibration->thread_count, plural((size_t)calibration->thread_count),
        calibration->device_name ? ": " : "", calibration->device_name ? calibration->device_name : "");
    report_fact_add(blocks, facts, "device", cut(device, WIDTH - strlen("measured  "), arena));
    report_fact_add(blocks, facts, "driver", study->driver);
    report_fact_add(
        blocks, facts, "measured",
        arena_format(arena, "%s against itself, %zu problem%s of suite %s, %zu run%s of %u rounds",
                     study->kernel ? study->kernel : "a kernel", report->summary->problem_count,
                     plural(report->summary->problem_count), study->suite ? study->suite : "?",
                     report->study_count, plural(report->study_count), (unsigned)study->round_count));
    report_fact_add(blocks, facts, "rounds", pairs_text(study, arena));
    report_fact_add(blocks, facts, "regime",
                    arena_format(arena, "%s, cache %s", study->power_mode ? study->power_mode : "?",
                                 study->cache_mode ? study->cache_mode : "?"));
    if (report->earlier_count)
        report_fact_add(
            blocks, facts, "pooled",
            arena_format(arena,
                         "with %zu earlier stud%s of this kernel, driver, regime, cache mode and pairs",
                         report->earlier_count, report->earlier_count == 1 ? "y" : "ies"));
    report_fact_add(blocks, facts, "results", arena_format(arena, "%s/result.json", report->results_path));
    report_fact_add(blocks, facts, "kept in", report->store_path);
}

// ---- the problems ----

static const char *needed_cell(const struct calibration_pooled *problem, double threshold_pct,
                               struct arena *arena) {
    if (!calibration_is_measured(problem)) return "";
    uint32_t needed = rounds_needed(problem->spread_high_pct / 100, threshold_pct);
    return needed ? arena_format(arena, "%u", (unsigned)needed) : arena_format(arena, "> %d", ROUNDS_LIMIT);
}

static const char *certified_cell(const struct calibration_pooled *problem, struct arena *arena) {
    if (!calibration_is_measured(problem)) return "unknown";
    return problem->certified_pct > 0 ? fine_pct(problem->certified_pct, arena) : "below timer";
}

static const char *caught_cell(double caught_pct, struct arena *arena) {
    return caught_pct > 1000 ? "> 1000 %" : fine_pct(caught_pct, arena);
}

static enum term_style fitness_style(const struct calibration_pooled *problem, double threshold_pct) {
    const struct calibration_gate gate = {threshold_pct, CALIBRATION_ROUNDS, .is_fixed = false};
    switch (calibration_judge(problem, &gate)) {
    case CALIBRATION_CERTIFIES: return TERM_GREEN;
    case CALIBRATION_REFUSES: return TERM_RED;
    default: return TERM_YELLOW;
    }
}

static void add_problem(const struct calibration_summary *summary, size_t index, struct report_blocks *blocks,
                        struct report_block *table) {
    struct arena *arena = blocks->arena;
    struct report_row *row = report_row_add(blocks, table);
    const struct calibration_pooled *problem = &summary->problems[index];
    const bool is_measured = calibration_is_measured(problem);
    size_t at = 0;
    row->cells[at++] = str_or(problem->short_name, problem->name);
    row->cells[at++] = figure_time(problem->median_ns, arena);
    row->cells[at++] = fine_pct(problem->within_cv_pct, arena);
    row->cells[at++] =
        is_measured ? arena_format(arena, "%.2f %% (to %.2f)", problem->spread_pct, problem->spread_high_pct)
                    : "";
    row->cells[at++] = is_measured && isfinite(problem->within_part)
                           ? arena_format(arena, "%.0f %%", 100 * problem->within_part)
                           : "";
    row->cells[at++] = arena_format(arena, "%u", (unsigned)problem->round_count);
    row->cells[at++] =
        problem->invalid_round_count ? arena_format(arena, "%u", (unsigned)problem->invalid_round_count) : "";
    row->style_column = at;
    row->style = fitness_style(problem, summary->threshold_pct);
    row->cells[at++] = certified_cell(problem, arena);
    row->cells[at++] = caught_cell(summary->caught_pct[index], arena);
    row->cells[at++] = needed_cell(problem, summary->threshold_pct, arena);
    row->cells[at++] =
        arena_format(arena, "%zu of %zu", problem->accusation_count, problem->comparison_count);
}

static bool is_reason_said(const struct calibration_summary *summary, size_t before, const char *reason) {
    for (size_t i = 0; i < before; ++i)
        if (str_equal(summary->problems[i].invalid_reason, reason)) return true;
    return false;
}

// Why rounds were not valid: a line a reason, with the problems it hit.
static void add_reasons(const struct calibration_summary *summary, struct report_blocks *blocks) {
    struct report_block *lines = report_block_add(blocks, REPORT_LIST, "Rounds that were not valid");
    for (size_t i = 0; i < summary->problem_count; ++i) {
        const char *reason = summary->problems[i].invalid_reason;
        if (!reason || is_reason_said(summary, i, reason)) continue;
        struct strbuf names = {0};
        for (size_t k = i; k < summary->problem_count; ++k)
            if (str_equal(summary->problems[k].invalid_reason, reason))
                strbuf_addf(&names, "%s%s", names.length ? ", " : "",
                            str_or(summary->problems[k].short_name, summary->problems[k].name));
        report_item_add(blocks, lines, arena_format(blocks->arena, "%s: %s", strbuf_text(&names), reason));
        strbuf_fini(&names);
    }
    if (lines->row_count == 0) --blocks->count;
}

static void add_columns_text(const struct calibration_summary *summary, struct report_blocks *blocks) {
    struct arena *arena = blocks->arena;
    struct report_block *lines = report_block_add(blocks, REPORT_LINES, NULL);
    report_item_add(
        blocks, lines,
        "Spread: of ln(B / A) between rounds, with its upper 95 % limit, by which all that follows is "
        "judged.");
    if (summary->pair_count)
        report_item_add(blocks, lines,
                        "Within: share of its variance that the samples inside the rounds explain.");
    report_item_add(
        blocks, lines,
        arena_format(arena,
                     "Certifies: within it %d rounds prove an unchanged kernel unchanged, with 90 %% power.",
                     CALIBRATION_ROUNDS));
    report_item_add(
        blocks, lines,
        arena_format(
            arena, "Caught: the smallest slowdown that a gate at %g %% calls a regression, with 90 %% power.",
            summary->threshold_pct));
    report_item_add(
        blocks, lines,
        arena_format(
            arena, "For %g %%: rounds that it takes. Accused: found slower than itself by the rule at 3 %%.",
            summary->threshold_pct));
    if (summary->pair_count)
        report_item_add(
            blocks, lines,
            arena_format(arena,
                         "Samples: %u pairs a round are worth their time here; more would gain little.",
                         (unsigned)summary->pair_count));
}

static void add_problems(const struct calibration_report *report, struct report_blocks *blocks) {
    const struct calibration_summary *summary = report->summary;
    struct arena *arena = blocks->arena;
    const char *const head[] = {
        "problem", "median",  "CV",        "spread", "within",
        "rounds",  "invalid", "certifies", "caught", arena_format(arena, "for %g %%", summary->threshold_pct),
        "accused"};
    struct report_block *table = report_table_add(blocks, "lrrrrrrrrrr", head);
    for (size_t i = 0; i < summary->problem_count; ++i) add_problem(summary, i, blocks, table);
    report_table_drop_empty(table);
    if (summary->view_count) add_columns_text(summary, blocks);
    add_reasons(summary, blocks);
}

static void add_accusations(const struct calibration_summary *summary, struct report_blocks *blocks) {
    const struct calibration_accusations *all = &summary->accusations;
    struct arena *arena = blocks->arena;
    struct report_block *lines = report_block_add(blocks, REPORT_LINES, NULL);
    if (all->comparison_count == 0) {
        report_item_add(
            blocks, lines,
            arena_format(arena,
                         "False accusations: nothing has %d valid rounds of a run, so nothing is known.",
                         CALIBRATION_ROUNDS));
        return;
    }
    report_item_add(
        blocks, lines,
        arena_format(arena,
                     "False accusations at 3 %%: %zu in %zu comparison%s of identical code (%zu run%s, all "
                     "that is stored).",
                     all->accusation_count, all->comparison_count, plural(all->comparison_count),
                     all->run_count, plural(all->run_count)));
    report_item_add(blocks, lines,
                    arena_format(arena,
                                 "By comparison: at most %.2g %% of such ones are accused (95 %%), if those "
                                 "of a run are independent.",
                                 all->upper_bound_pct));
    report_item_add(
        blocks, lines,
        arena_format(arena,
                     "By run: at most %.2g %% of runs accuse one (95 %%), whatever those of a run share.",
                     all->run_upper_bound_pct));
    report_item_add(blocks, lines, "300 comparisons without an accusation bound the first at 1 %.");
}

// ---- power ----

static void add_shares(const struct calibration_shares *shares, struct report_row *row, size_t *at,
                       struct arena *arena) {
    row->cells[(*at)++] = arena_format(arena, "%.1f %%", 100 * shares->regression);
    row->cells[(*at)++] = arena_format(arena, "%.1f %%", 100 * shares->maintained);
    row->cells[(*at)++] = arena_format(arena, "%.1f %%", 100 * (shares->undecidable + shares->improvement));
}

static void add_power(const struct calibration_summary *summary, struct report_blocks *blocks) {
    struct arena *arena = blocks->arena;
    const char *head[1 + 3 * 2] = {"true change"};
    for (size_t v = 0; v < summary->view_count; ++v) {
        head[1 + 3 * v] =
            arena_format(arena, "%s: regression",
                         str_or(summary->views[v].problem->short_name, summary->views[v].problem->name));
        head[2 + 3 * v] = "maintained";
        head[3 + 3 * v] = "undecidable";
    }
    calibration_chart_add(summary, blocks);
    struct report_block *table = report_table_add(blocks, summary->view_count > 1 ? "rrrrrrr" : "rrrr", head);
    table->text = arena_format(arena, "What such a gate says of a true change (%d simulated ones each)",
                               CALIBRATION_POWER_TRIALS);
    for (size_t i = 0; i < CALIBRATION_CHANGES; ++i) {
        struct report_row *row = report_row_add(blocks, table);
        size_t at = 0;
        row->cells[at++] = arena_format(arena, "%g %%", calibration_changes_pct[i]);
        for (size_t v = 0; v < summary->view_count; ++v)
            add_shares(&summary->views[v].table[i], row, &at, arena);
    }
}

void calibration_report_text(const struct calibration_report *report, bool has_color, struct strbuf *out) {
    struct arena arena = {0};
    struct report_blocks blocks = {.arena = &arena, .has_utf8 = term_has_utf8()};
    add_facts(report, &blocks);
    add_problems(report, &blocks);
    add_accusations(report->summary, &blocks);
    if (report->summary->view_count) add_power(report->summary, &blocks);
    struct report_block *verdict = report_block_add(&blocks, REPORT_VERDICT, report->summary->sentence);
    verdict->style = report->summary->exit_code == 0 ? TERM_GREEN : TERM_YELLOW;
    report_blocks_print(&blocks, has_color, out);
    arena_fini(&arena);
}
