// SPDX-License-Identifier: Apache-2.0
//
// See calibration_report.h: the text. Verdict first, then where, the table of problems, accusations, power.
#include "report/calibration_report.h"

#include "report/figure_text.h"
#include "verdict/rounds_needed.h"

#include <math.h>

// Spreads are small: two digits that count.
static const char *fine_pct(double pct, struct arena *arena) {
    if (!isfinite(pct)) return "";
    return arena_format(arena, "%.*f %%", pct < 1 ? 2 : pct < 9.95 ? 1 : 0, pct);
}

static const char *name_of(const struct calibrate_problem *problem) {
    return problem->short_name ? problem->short_name : problem->name;
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
}

// ---- the problems ----

static const char *needed_cell(const struct calibrate_problem *problem, double threshold_pct,
                               struct arena *arena) {
    if (!calibrate_is_measured(problem)) return "";
    uint32_t needed = rounds_needed(problem->spread_pct / 100, threshold_pct);
    return needed ? arena_format(arena, "%u", (unsigned)needed)
                  : arena_format(arena, "> %d", ROUNDS_NEEDED_MAX);
}

static void add_problem(const struct calibrate_problem *problem, double threshold_pct,
                        struct report_blocks *blocks, struct report_block *table) {
    struct arena *arena = blocks->arena;
    struct report_row *row = report_row_add(blocks, table);
    size_t at = 0;
    row->cells[at++] = name_of(problem);
    row->cells[at++] = figure_time(problem->median_ns, arena);
    row->cells[at++] = fine_pct(problem->within_cv_pct, arena);
    row->cells[at++] = fine_pct(problem->spread_pct, arena);
    row->cells[at++] =
        isfinite(problem->within_part) ? arena_format(arena, "%.0f %%", 100 * problem->within_part) : "";
    row->cells[at++] = arena_format(arena, "%u", (unsigned)problem->round_count);
    row->cells[at++] =
        problem->invalid_round_count ? arena_format(arena, "%u", (unsigned)problem->invalid_round_count) : "";
    row->style_column = at;
    row->style = !calibrate_is_measured(problem)                                 ? TERM_YELLOW
                 : calibrate_certifies(problem, threshold_pct, CALIBRATE_ROUNDS) ? TERM_GREEN
                                                                                 : TERM_RED;
    row->cells[at++] =
        isfinite(problem->certified_pct) ? arena_format(arena, "%.2f %%", problem->certified_pct) : "unknown";
    row->cells[at++] = needed_cell(problem, threshold_pct, arena);
    row->cells[at++] = problem->pair_count_recommended
                           ? arena_format(arena, "%u", (unsigned)problem->pair_count_recommended)
                           : "";
    row->cells[at++] =
        arena_format(arena, "%zu of %zu", problem->accusation_count, problem->comparison_count);
}

static void add_problems(const struct calibration_report *report, struct report_blocks *blocks) {
    const struct calibrate_summary *summary = report->summary;
    struct arena *arena = blocks->arena;
    const char *const head[] = {
        "problem", "median",        "CV within",
        "spread",  "within's part", "rounds",
        "invalid", "certifies",     arena_format(arena, "for %g %%", summary->threshold_pct),
        "pairs",   "accused"};
    struct report_block *table = report_table_add(blocks, "lrrrrrrrrrr", head);
    for (size_t i = 0; i < summary->problem_count; i++)
        add_problem(&summary->problems[i], summary->threshold_pct, blocks, table);
    report_table_drop_empty(table);
    struct report_block *lines = report_block_add(blocks, REPORT_LIST, NULL);
    for (size_t i = 0; i < summary->problem_count; i++) {
        const struct calibrate_problem *problem = &summary->problems[i];
        if (problem->invalid_reason)
            report_item_add(blocks, lines,
                            arena_format(arena, "%s: %u round%s not valid, the last because: %s",
                                         name_of(problem), (unsigned)problem->invalid_round_count,
                                         plural(problem->invalid_round_count), problem->invalid_reason));
    }
    if (lines->row_count == 0) blocks->count--;
}

static void add_accusations(const struct calibrate_summary *summary, struct report_blocks *blocks) {
    const struct calibrate_accusations *all = &summary->accusations;
    report_block_add(blocks, REPORT_PARAGRAPH,
                     all->comparison_count
                         ? arena_format(blocks->arena,
                                        "False accusations: %zu in %zu comparison%s of identical code (%zu "
                                        "run%s of the program, all "
                                        "that is stored).\nAt 95 %% confidence at most %.2g %% of unchanged "
                                        "kernels are accused; 300 "
                                        "comparisons without one bound it at 1 %%.",
                                        all->accusation_count, all->comparison_count,
                                        plural(all->comparison_count), all->run_count, plural(all->run_count),
                                        all->upper_bound_pct)
                         : "False accusations: nothing came to the end of the rule, so nothing is known.");
}

// ---- power ----

static void add_shares(const struct calibrate_shares *shares, struct report_row *row, size_t *at,
                       struct arena *arena) {
    row->cells[(*at)++] = arena_format(arena, "%.1f %%", 100 * shares->regression);
    row->cells[(*at)++] = arena_format(arena, "%.1f %%", 100 * shares->maintained);
    row->cells[(*at)++] = arena_format(arena, "%.1f %%", 100 * (shares->undecidable + shares->improvement));
}

static void add_power(const struct calibrate_summary *summary, struct report_blocks *blocks) {
    if (summary->view_count == 0) return;
    struct arena *arena = blocks->arena;
    calibration_chart_add(summary, blocks);
    for (size_t v = 0; v < summary->view_count; v++) {
        const struct calibrate_view *view = &summary->views[v];
        const char *const head[] = {"true change", "regression", "maintained", "undecidable"};
        struct report_block *table = report_table_add(blocks, "rrrr", head);
        table->text = arena_format(arena, "What a gate of up to %d rounds says on %s", CALIBRATE_ROUNDS,
                                   name_of(view->problem));
        for (size_t i = 0; i < CALIBRATE_CHANGES; i++) {
            struct report_row *row = report_row_add(blocks, table);
            size_t at = 0;
            row->cells[at++] = arena_format(arena, "%g %%", calibrate_changes_pct[i]);
            add_shares(&view->table[i], row, &at, arena);
        }
    }
}

void calibration_report_text(const struct calibration_report *report, bool has_color, struct strbuf *out) {
    struct arena arena = {0};
    struct report_blocks blocks = {.arena = &arena};
    add_facts(report, &blocks);
    add_problems(report, &blocks);
    add_accusations(report->summary, &blocks);
    add_power(report->summary, &blocks);
    struct report_block *verdict = report_block_add(&blocks, REPORT_VERDICT, report->summary->sentence);
    verdict->style = report->summary->exit_code == 0 ? TERM_GREEN : TERM_YELLOW;
    report_blocks_print(&blocks, has_color, out);
    arena_fini(&arena);
}
