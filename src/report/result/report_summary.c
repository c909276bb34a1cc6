// SPDX-License-Identifier: Apache-2.0
//
// A result on one screen: what was checked, what was decided, how sure that is, what it took. The full report
// has the rest.
#include <math.h>

#include "base/strbuf.h"
#include "report/result/case_lines.h"
#include "report/result/figure_text.h"
#include "report/result/report_parts.h"
#include "verdict/summary.h"

// "simd: 134/134 passed, suite boundary"
static void add_checked(const struct result *result, struct report_blocks *blocks,
                        struct report_block *facts) {
    struct arena *arena = blocks->arena;
    for (uint32_t side = 0; side < result->side_count; ++side) {
        const struct check_counts matrix = check_counts_get(result, side, true);
        const bool is_matrix = matrix.total > matrix.open;
        const char *suite = is_matrix ? result->check_suite : result->suite;
        report_fact_add(blocks, facts, "checked",
                        arena_format(arena, "%s%s%s", check_tally(result, side, is_matrix, arena),
                                     suite ? ", suite " : "", str_or(suite, "")));
    }
    report_fact_add(blocks, facts, "not checked", report_not_checked(result, arena));
}

static void add_speed(const struct decision *decision, struct report_blocks *blocks,
                      struct report_block *facts) {
    struct arena *arena = blocks->arena;
    if (!isfinite(decision->geomean_speedup)) return;
    report_fact_add(blocks, facts, "speed-up",
                    arena_format(arena, "%s in the geometric mean, best %s (%s), worst %s (%s)",
                                 figure_ratio(decision->geomean_speedup, arena),
                                 figure_ratio(decision->best_speedup, arena), decision->best_name,
                                 figure_ratio(decision->worst_speedup, arena), decision->worst_name));
}

// The widest interval and the coarsest detectable change: each problem is known at least that well.
static void add_sureness(const struct decision *decision, struct report_blocks *blocks,
                         struct report_block *facts) {
    struct arena *arena = blocks->arena;
    double half_width = NAN, level = NAN, detectable = NAN;
    for (size_t i = 0; i < decision->case_count; ++i) {
        const struct decision_case *item = &decision->cases[i];
        half_width = fmax(half_width, (item->change_high_pct - item->change_low_pct) / 2);
        detectable = fmax(detectable, item->smallest_detectable_pct);
        if (!isfinite(level)) level = item->interval_level;
    }
    if (isfinite(half_width) && isfinite(level))
        report_fact_add(blocks, facts, "how sure",
                        arena_format(arena,
                                     "every change to +-%s with a %.4g %% confidence interval, after %u "
                                     "rounds of fresh processes",
                                     figure_pct(half_width, arena), 100 * level,
                                     (unsigned)decision->round_count));
    if (isfinite(detectable))
        report_fact_add(blocks, facts, "detectable",
                        arena_format(arena, "a change of %s on every problem, with 90 %% probability",
                                     figure_pct(detectable, arena)));
}

// How many lines they are in the full report.
static int add_warnings(const struct result *result, struct report_blocks *blocks,
                        struct report_block *facts) {
    struct report_blocks scratch = {.arena = blocks->arena};
    struct warning_list warnings;
    if (warnings_get(result, blocks->arena, &warnings) < 0) return -1;
    struct report_block *list = report_block_add(&scratch, REPORT_LIST, NULL);
    for (size_t i = 0; i < warnings.count; ++i) report_item_add(&scratch, list, warnings.texts[i]);
    report_list_fold_numbers(&scratch, list);
    if (list->row_count)
        report_fact_add(blocks, facts, "warnings",
                        arena_format(blocks->arena, "%zu, in the full report", list->row_count));
    return 0;
}

int report_summary_print(const struct result *result, const struct report_options *options,
                         struct strbuf *out) {
    struct arena arena = {0};
    struct report_blocks blocks = {.arena = &arena, .has_utf8 = options->has_utf8};
    const struct decision *decision = result->decision;
    report_content_title(result, options, &blocks);
    struct report_block *facts = report_block_add(&blocks, REPORT_FACTS, NULL);
    add_checked(result, &blocks, facts);
    if (decision) add_speed(decision, &blocks, facts);
    if (decision) add_sureness(decision, &blocks, facts);
    report_fact_add(&blocks, facts, "took", report_used_text(result, &arena));
    report_fact_add(&blocks, facts, "on", result->environment.device_name);
    const int status = add_warnings(result, &blocks, facts);
    report_fact_add(&blocks, facts, "more",
                    result->run_id ? arena_format(&arena, "assay report %s", result->run_id) : NULL);
    if (status == 0) report_blocks_print(&blocks, options->has_color, out);
    arena_fini(&arena);
    return status;
}
