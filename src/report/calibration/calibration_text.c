// SPDX-License-Identifier: Apache-2.0
//
// See calibration_report.h: the text. Device and settings, the table of problems, false alarms, power, and
// the verdict last.
#include <math.h>
#include <string.h>

#include "base/comma.h"
#include "base/strbuf.h"
#include "report/calibration/calibration_report.h"
#include "report/result/figure_text.h"
#include "verdict/rounds/rounds.h"

#define WIDTH 100 // of a line; file names alone are never cut

// All columns have the same number of decimals.
static const char *fine_pct(double pct, struct arena *arena) {
    return isfinite(pct) ? arena_format(arena, "%.2f %%", pct) : "";
}

static const char *plural(size_t count) {
    return count == 1 ? "" : "s";
}

// ---- where and what ----

static void add_facts(const struct calibration_report *report, struct report_blocks *blocks) {
    struct arena *arena = blocks->arena;
    const struct calibration *calibration = report->calibration;
    const struct calibration_study *study = &report->studies[report->study_count - 1];
    struct report_block *facts = report_block_add(blocks, REPORT_FACTS, NULL);
    const char *device =
        arena_format(arena, "%s, %lld thread%s%s%s", str_or(calibration->device, "?"),
                     (long long)calibration->thread_count, plural((size_t)calibration->thread_count),
                     calibration->device_name ? ": " : "", str_or(calibration->device_name, ""));
    const size_t room = WIDTH - strlen("measured  ");
    if (strlen(device) > room)
        device = arena_format(arena, "%.*s...", (int)str_fitting(device, room - 3), device);
    const char *noisy = "";
    if (study->sample_count_noisy)
        noisy = arena_format(arena, " (%u above CV 3 %%, %u above 5 %%)", (unsigned)study->sample_count_noisy,
                             (unsigned)study->sample_count_noisier);
    report_fact_add(blocks, facts, "device", device);
    report_fact_add(blocks, facts, "driver", study->driver);
    report_fact_add(
        blocks, facts, "measured",
        arena_format(arena, "%s against itself, %zu problem%s of suite %s, %zu run%s of %u rounds",
                     str_or(study->kernel, "a kernel"), report->summary->problem_count,
                     plural(report->summary->problem_count), str_or(study->suite, "?"), report->study_count,
                     plural(report->study_count), (unsigned)study->round_count));
    report_fact_add(blocks, facts, "rounds",
                    arena_format(arena, "%u pairs a round%s", (unsigned)study->sample_count, noisy));
    report_fact_add(blocks, facts, "settings",
                    arena_format(arena, "power mode %s, cache %s", str_or(study->power_mode, "?"),
                                 str_or(study->cache_mode, "?")));
    if (report->earlier_count)
        report_fact_add(
            blocks, facts, "pooled",
            arena_format(arena,
                         "with %zu earlier stud%s of this kernel, driver, power mode, cache mode and pairs",
                         report->earlier_count, report->earlier_count == 1 ? "y" : "ies"));
    report_fact_add(blocks, facts, "results", arena_format(arena, "%s/result.json", report->results_path));
    report_fact_add(blocks, facts, "kept in", report->store_path);
}

// ---- the problems ----

static enum term_style fitness_style(const struct calibration_pooled *problem, double threshold_pct) {
    const struct calibration_gate gate = {threshold_pct, CALIBRATION_ROUNDS, .is_fixed = false};
    switch (calibration_judge(problem, &gate)) {
    case CALIBRATION_DETECTS: return TERM_GREEN;
    case CALIBRATION_REFUSES: return TERM_RED;
    default: return TERM_YELLOW;
    }
}

static const char *const problem_head[] = {"problem", "median",     "CV",       "spread", "within", "rounds",
                                           "invalid", "can detect", "detected", NULL,     "alarms"};
#define PROBLEM_CELLS (sizeof problem_head / sizeof *problem_head)
#define DETECT_COLUMN 7
#define FOR_COLUMN    9 // "for 3 %"

static void add_problem(const struct calibration_summary *summary, size_t index, struct report_blocks *blocks,
                        struct report_block *table) {
    struct arena *arena = blocks->arena;
    const struct calibration_pooled *problem = &summary->problems[index];
    const bool is_measured = calibration_is_measured(problem);
    const double detected_pct = summary->detected_pct[index];
    const char *spread = "", *within = "", *can_detect = "unknown", *needed = "";
    if (is_measured) {
        const uint32_t rounds = rounds_needed(problem->spread_high_pct / 100, summary->threshold_pct);
        needed =
            rounds ? arena_format(arena, "%u", (unsigned)rounds) : arena_format(arena, "> %d", ROUNDS_LIMIT);
        spread = arena_format(arena, "%.2f %% (to %.2f)", problem->spread_pct, problem->spread_high_pct);
        can_detect = problem->detectable_pct > 0 ? fine_pct(problem->detectable_pct, arena) : "below timer";
    }
    if (is_measured && isfinite(problem->within_part))
        within = arena_format(arena, "%.0f %%", 100 * problem->within_part);
    const unsigned round_count = problem->round_count, invalid_count = problem->invalid_round_count;
    const char *const cells[PROBLEM_CELLS] = {
        str_or(problem->short_name, problem->name),
        figure_time(problem->median_ns, arena),
        fine_pct(problem->within_cv_pct, arena),
        spread,
        within,
        arena_format(arena, "%u", round_count),
        invalid_count ? arena_format(arena, "%u", invalid_count) : "",
        can_detect,
        detected_pct > 1000 ? "> 1000 %" : fine_pct(detected_pct, arena),
        needed,
        arena_format(arena, "%zu of %zu", problem->false_alarm_count, problem->comparison_count),
    };
    struct report_row *row = report_row_add(blocks, table);
    memcpy(row->cells, cells, sizeof cells);
    row->style_column = DETECT_COLUMN;
    row->style = fitness_style(problem, summary->threshold_pct);
}

// Why rounds were not valid: a line a reason, with the problems it hit.
static void add_reasons(const struct calibration_summary *summary, struct report_blocks *blocks) {
    struct report_block *lines = report_block_add(blocks, REPORT_LIST, "Rounds that were not valid");
    for (size_t i = 0; i < summary->problem_count; ++i) {
        const char *reason = summary->problems[i].invalid_reason;
        size_t first = 0;
        while (first < i && !str_equal(summary->problems[first].invalid_reason, reason)) ++first;
        if (!reason || first < i) continue;
        struct strbuf names = {0};
        for (size_t k = i; k < summary->problem_count; ++k)
            if (str_equal(summary->problems[k].invalid_reason, reason))
                comma_add(&names, str_or(summary->problems[k].short_name, summary->problems[k].name));
        report_item_addf(blocks, lines, "%s: %s", strbuf_text(&names), reason);
        strbuf_fini(&names);
    }
    report_block_drop_empty(blocks, lines);
}

static void add_columns_text(const struct calibration_summary *summary, struct report_blocks *blocks) {
    struct report_block *lines = report_block_add(blocks, REPORT_LINES, NULL);
    report_item_add(
        blocks, lines,
        "Spread: of ln(B / A) between rounds, with its upper 95 % confidence limit, the basis of the rest.");
    if (summary->pair_count)
        report_item_add(blocks, lines,
                        "Within: share of its variance that the samples inside the rounds explain.");
    report_item_addf(
        blocks, lines,
        "Can detect: with this threshold %d rounds prove an unchanged kernel unchanged, with 90 %% power.",
        CALIBRATION_ROUNDS);
    report_item_addf(
        blocks, lines,
        "Detected: the smallest slowdown that a gate at %g %% calls a regression, with 90 %% power.",
        summary->threshold_pct);
    report_item_addf(
        blocks, lines,
        "For %g %%: rounds needed. Alarms: false ones, found slower than itself by the rule at 3 %%.",
        summary->threshold_pct);
    if (summary->pair_count)
        report_item_addf(blocks, lines,
                         "Samples: %u pairs a round are worth their time here; more would gain little.",
                         (unsigned)summary->pair_count);
}

static void add_false_alarms(const struct calibration_summary *summary, struct report_blocks *blocks) {
    const struct calibration_false_alarms *all = &summary->false_alarms;
    struct report_block *lines = report_block_add(blocks, REPORT_LINES, NULL);
    if (all->comparison_count == 0) {
        report_item_addf(blocks, lines,
                         "False alarms: no problem has %d valid rounds in one run, so nothing is known.",
                         CALIBRATION_ROUNDS);
        return;
    }
    report_item_addf(
        blocks, lines,
        "False alarms at 3 %%: %zu in %zu comparison%s of identical code (%zu run%s, all that is stored).",
        all->false_alarm_count, all->comparison_count, plural(all->comparison_count), all->run_count,
        plural(all->run_count));
    report_item_addf(blocks, lines,
                     "By comparison: at most %.2g %% are false alarms (95 %% confidence), if those of a run "
                     "are independent.",
                     all->upper_bound_pct);
    report_item_addf(
        blocks, lines,
        "By run: at most %.2g %% of runs have a false alarm (95 %% confidence), dependent or not.",
        all->run_upper_bound_pct);
    report_item_add(blocks, lines, "300 comparisons without a false alarm bound the first rate at 1 %.");
}

static void add_dependence(const struct calibration_summary *summary, struct report_blocks *blocks) {
    const struct calibration_dependence *found = &summary->dependence;
    struct report_block *lines = report_block_add(blocks, REPORT_LINES, NULL);
    if (found->dependent_count)
        report_item_addf(
            blocks, lines,
            "Rounds are like the ones before them in %zu of %zu stud%s (correlation %.2f): a state "
            "of the machine outlives processes,",
            found->dependent_count, found->study_count, found->study_count == 1 ? "y" : "ies",
            found->correlation);
    if (found->dependent_count)
        report_item_add(blocks, lines, "so wrong verdicts may be more frequent than promised here.");
    else if (found->study_count)
        report_item_addf(blocks, lines,
                         "Rounds: no sign that they depend on the ones before them (correlation %.2f).",
                         found->correlation);
    report_block_drop_empty(blocks, lines);
}

// ---- power ----

static void add_power(const struct calibration_summary *summary, struct report_blocks *blocks) {
    struct arena *arena = blocks->arena;
    calibration_chart_add(summary, blocks);
    struct report_block *table = report_table_add(blocks, "r", (const char *const[]){"true change"});
    table->text = arena_format(arena, "What such a gate says of a true change (%d simulated gates each)",
                               CALIBRATION_POWER_TRIALS);
    for (size_t v = 0; v < summary->view_count; ++v) {
        const struct calibration_pooled *problem = summary->views[v].problem;
        const char *name = str_or(problem->short_name, problem->name);
        report_column_add(table, 'r', arena_format(arena, "%s: regression", name));
        report_column_add(table, 'r', "maintained");
        report_column_add(table, 'r', "undecidable");
    }
    for (size_t i = 0; i < CALIBRATION_CHANGES; ++i) {
        struct report_row *row = report_row_add(blocks, table);
        size_t at = 0;
        row->cells[at++] = arena_format(arena, "%g %%", calibration_changes_pct[i]);
        for (size_t v = 0; v < summary->view_count; ++v) {
            const struct calibration_shares *shares = &summary->views[v].table[i];
            const double rest = shares->undecidable + shares->improvement;
            row->cells[at++] = arena_format(arena, "%.1f %%", 100 * shares->regression);
            row->cells[at++] = arena_format(arena, "%.1f %%", 100 * shares->maintained);
            row->cells[at++] = arena_format(arena, "%.1f %%", 100 * rest);
        }
    }
}

void calibration_report_text(const struct calibration_report *report, bool has_color, struct strbuf *out) {
    struct arena arena = {0};
    struct report_blocks blocks = {.arena = &arena, .has_utf8 = term_has_utf8()};
    const struct calibration_summary *summary = report->summary;
    add_facts(report, &blocks);
    struct report_block *table = report_table_add(&blocks, "lrrrrrrrrrr", problem_head);
    table->head[FOR_COLUMN] = arena_format(&arena, "for %g %%", summary->threshold_pct);
    for (size_t i = 0; i < summary->problem_count; ++i) add_problem(summary, i, &blocks, table);
    report_table_drop_empty(table);
    if (summary->view_count) add_columns_text(summary, &blocks);
    add_reasons(summary, &blocks);
    add_dependence(summary, &blocks);
    add_false_alarms(summary, &blocks);
    if (summary->view_count) add_power(summary, &blocks);
    struct report_block *verdict = report_block_add(&blocks, REPORT_VERDICT, summary->sentence);
    verdict->style = summary->exit_code == 0 ? TERM_GREEN : TERM_YELLOW;
    report_blocks_print(&blocks, has_color, out);
    arena_fini(&arena);
}
