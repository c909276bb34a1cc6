// SPDX-License-Identifier: Apache-2.0
//
// See calibration_report.h: the text. Verdict first, then where, the table of problems, accusations, power.
#include "report/calibration_report.h"

#include "base/strbuf.h"
#include "report/figure_text.h"
#include "verdict/rounds_needed.h"

#include <math.h>

// Spreads are small: two digits that count.
static const char *fine_pct(double pct, struct arena *arena) {
    if (!isfinite(pct)) return "";
    return arena_format(arena, "%.*f %%", pct < 1 ? 2 : pct < 9.95 ? 1 : 0, pct);
}

static const char *plural(size_t count) {
    return count == 1 ? "" : "s";
}

// ---- where and what ----

static const char *pairs_words(const struct calibration_study *study, struct arena *arena) {
    if (!study->sample_count_noisy)
        return arena_format(arena, "%u pairs a round", (unsigned)study->sample_count);
    return arena_format(arena, "%u pairs a round (%u above CV 3 %%, %u above 5 %%)",
                        (unsigned)study->sample_count, (unsigned)study->sample_count_noisy,
                        (unsigned)study->sample_count_noisier);
}

static void add_facts(const struct calibration_report *report, struct report_blocks *blocks) {
    struct arena *arena = blocks->arena;
    const struct calibration *calibration = report->calibration;
    const struct calibration_study *study = report->studies[report->study_count - 1];
    struct report_block *facts = report_block_add(blocks, REPORT_FACTS, NULL);
    report_fact_add(
        blocks, facts, "device",
        arena_format(arena, "%s, %lld thread%s%s%s", calibration->device ? calibration->device : "?",
                     (long long)calibration->thread_count, plural((size_t)calibration->thread_count),
                     calibration->device_name ? ": " : "",
                     calibration->device_name ? calibration->device_name : ""));
    report_fact_add(blocks, facts, "driver", study->driver);
    report_fact_add(
        blocks, facts, "measured",
        arena_format(arena, "%s against itself, %zu problem%s of suite %s, %zu run%s of %u rounds",
                     study->kernel ? study->kernel : "a kernel", report->summary->problem_count,
                     plural(report->summary->problem_count), study->suite ? study->suite : "?",
                     report->study_count, plural(report->study_count), (unsigned)study->round_count));
    report_fact_add(blocks, facts, "rounds", pairs_words(study, arena));
    report_fact_add(blocks, facts, "regime",
                    arena_format(arena, "%s, cache %s", study->regime ? study->regime : "?",
                                 study->cache_mode ? study->cache_mode : "?"));
    if (report->pooled_count > report->study_count)
        report_fact_add(blocks, facts, "pooled",
                        arena_format(arena,
                                     "with %zu earlier stud%s of the same driver, regime and cache mode",
                                     report->pooled_count - report->study_count,
                                     report->pooled_count - report->study_count == 1 ? "y" : "ies"));
    report_fact_add(blocks, facts, "results", arena_format(arena, "%s/result.json", report->results_path));
    report_fact_add(blocks, facts, "kept in", report->store_path);
}

// ---- the problems ----

static const char *needed_cell(const struct calibration_pooled *problem, double threshold_pct,
                               struct arena *arena) {
    if (!calibration_is_measured(problem)) return "";
    uint32_t needed = rounds_needed(problem->spread_pct / 100, threshold_pct);
    return needed ? arena_format(arena, "%u", (unsigned)needed) : arena_format(arena, "> %d", ROUNDS_LIMIT);
}

static void add_problem(const struct calibration_pooled *problem, double threshold_pct,
                        struct report_blocks *blocks, struct report_block *table) {
    struct arena *arena = blocks->arena;
    struct report_row *row = report_row_add(blocks, table);
    size_t at = 0;
    row->cells[at++] = str_or(problem->short_name, problem->name);
    row->cells[at++] = figure_time(problem->median_ns, arena);
    row->cells[at++] = fine_pct(problem->within_cv_pct, arena);
    bool is_measured = calibration_is_measured(problem);
    row->cells[at++] = is_measured ? fine_pct(problem->spread_pct, arena) : "";
    row->cells[at++] = is_measured && isfinite(problem->within_part)
                           ? arena_format(arena, "%.0f %%", 100 * problem->within_part)
                           : "";
    row->cells[at++] = arena_format(arena, "%u", (unsigned)problem->round_count);
    row->cells[at++] =
        problem->invalid_round_count ? arena_format(arena, "%u", (unsigned)problem->invalid_round_count) : "";
    row->style_column = at;
    row->style = !is_measured                                                        ? TERM_YELLOW
                 : calibration_certifies(problem, threshold_pct, CALIBRATION_ROUNDS) ? TERM_GREEN
                                                                                     : TERM_RED;
    row->cells[at++] = is_measured ? arena_format(arena, "%.2f %%", problem->certified_pct) : "unknown";
    row->cells[at++] = needed_cell(problem, threshold_pct, arena);
    row->cells[at++] = is_measured && problem->pair_count_recommended
                           ? arena_format(arena, "%u", (unsigned)problem->pair_count_recommended)
                           : "";
    row->cells[at++] =
        arena_format(arena, "%zu of %zu", problem->accusation_count, problem->comparison_count);
}

static bool is_reason_said(const struct calibration_summary *summary, size_t before, const char *reason) {
    for (size_t i = 0; i < before; i++)
        if (str_equal(summary->problems[i].invalid_reason, reason)) return true;
    return false;
}

// Why rounds were not valid: a line a reason, with the problems it hit.
static void add_reasons(const struct calibration_summary *summary, struct report_blocks *blocks) {
    struct report_block *lines = report_block_add(blocks, REPORT_LIST, "Rounds that were not valid");
    for (size_t i = 0; i < summary->problem_count; i++) {
        const char *reason = summary->problems[i].invalid_reason;
        if (!reason || is_reason_said(summary, i, reason)) continue;
        struct strbuf names = {0};
        for (size_t k = i; k < summary->problem_count; k++)
            if (str_equal(summary->problems[k].invalid_reason, reason))
                strbuf_addf(&names, "%s%s", names.length ? ", " : "",
                            str_or(summary->problems[k].short_name, summary->problems[k].name));
        report_item_add(blocks, lines, arena_format(blocks->arena, "%s: %s", strbuf_text(&names), reason));
        strbuf_fini(&names);
    }
    if (lines->row_count == 0) blocks->count--;
}

static void add_columns_words(const struct calibration_summary *summary, struct report_blocks *blocks) {
    struct report_block *lines = report_block_add(blocks, REPORT_LINES, NULL);
    report_item_add(
        blocks, lines,
        "Spread: of ln(B / A) between rounds; of it within: what the CV of the samples explains of its "
        "variance.");
    report_item_add(
        blocks, lines,
        arena_format(blocks->arena,
                     "Certifies: the smallest true change that %d rounds tell from none with 90 %% power.",
                     CALIBRATION_ROUNDS));
    report_item_add(
        blocks, lines,
        arena_format(blocks->arena,
                     "For %g %%: rounds that it takes. Pairs: samples a side and round that are worth "
                     "their time.",
                     summary->threshold_pct));
    report_item_add(blocks, lines,
                    "Accused: comparisons with itself in which the rule of a gate found a regression.");
}

static void add_problems(const struct calibration_report *report, struct report_blocks *blocks) {
    const struct calibration_summary *summary = report->summary;
    struct arena *arena = blocks->arena;
    const char *const head[] = {
        "problem", "median",       "CV within",
        "spread",  "of it within", "rounds",
        "invalid", "certifies",    arena_format(arena, "for %g %%", summary->threshold_pct),
        "pairs",   "accused"};
    struct report_block *table = report_table_add(blocks, "lrrrrrrrrrr", head);
    for (size_t i = 0; i < summary->problem_count; i++)
        add_problem(&summary->problems[i], summary->threshold_pct, blocks, table);
    report_table_drop_empty(table);
    if (summary->view_count) add_columns_words(summary, blocks);
    add_reasons(summary, blocks);
}

static void add_accusations(const struct calibration_summary *summary, struct report_blocks *blocks) {
    const struct calibration_accusations *all = &summary->accusations;
    struct report_block *lines = report_block_add(blocks, REPORT_LINES, NULL);
    if (all->comparison_count == 0) {
        report_item_add(blocks, lines,
                        "False accusations: nothing came to the end of the rule, so nothing is known.");
        return;
    }
    report_item_add(
        blocks, lines,
        arena_format(blocks->arena,
                     "False accusations: %zu in %zu comparison%s of identical code (%zu run%s of the "
                     "program, all that is stored).",
                     all->accusation_count, all->comparison_count, plural(all->comparison_count),
                     all->run_count, plural(all->run_count)));
    report_item_add(blocks, lines,
                    arena_format(blocks->arena,
                                 "At 95 %% confidence at most %.2g %% of unchanged kernels are accused; 300 "
                                 "comparisons without one bound it at 1 %%.",
                                 all->upper_bound_pct));
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
    for (size_t v = 0; v < summary->view_count; v++) {
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
    for (size_t i = 0; i < CALIBRATION_CHANGES; i++) {
        struct report_row *row = report_row_add(blocks, table);
        size_t at = 0;
        row->cells[at++] = arena_format(arena, "%g %%", calibration_changes_pct[i]);
        for (size_t v = 0; v < summary->view_count; v++)
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
