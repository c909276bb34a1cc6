// SPDX-License-Identifier: Apache-2.0
//
// The table of a decision: one row a problem with both medians, the change and its interval, the verdict and why.
#include "report/report_content.h"

#include "base/strbuf.h"
#include "report/figure_text.h"
#include "verdict/decision_case.h"
#include "verdict/reason_words.h"

#include <inttypes.h>
#include <math.h>

static const char *name_of(const struct decision_case *item) {
    return item->short_name ? item->short_name : item->name;
}

static const char *verdict_cell(const struct decision_case *item, struct arena *arena) {
    const char *why = reason_words(item->reason);
    const char *outlier = item->is_outlier_round ? ", outlier round" : "";
    bool has_hidden = item->verdict == VERDICT_NOT_VALID && item->unguarded_verdict != VERDICT_NONE &&
                      item->unguarded_verdict != VERDICT_NOT_VALID;
    const char *hidden =
        has_hidden ? arena_format(arena, " (the rule alone: %s)", verdict_words(item->unguarded_verdict))
                   : "";
    return arena_format(arena, "%s%s%s%s%s", verdict_words(item->verdict), *why ? ": " : "", why, outlier,
                        hidden);
}

static const char *rounds_cell(const struct decision_case *item, struct arena *arena) {
    if (item->round_count == 0 && item->invalid_round_count == 0) return "";
    return item->invalid_round_count ? arena_format(arena, "%" PRIu32 " (+%" PRIu32 " invalid)",
                                                    item->round_count, item->invalid_round_count)
                                     : arena_format(arena, "%" PRIu32, item->round_count);
}

static void add_row(const struct decision_case *item, struct report_blocks *blocks,
                    struct report_block *table) {
    struct arena *arena = blocks->arena;
    struct report_row *row = report_row_add(blocks, table);
    size_t at = 0;
    row->cells[at++] = name_of(item);
    row->cells[at++] = figure_time(item->median_base_ns, arena);
    row->cells[at++] = figure_time(item->median_cand_ns, arena);
    row->cells[at++] = figure_change(item, arena);
    row->cells[at++] = figure_ratio(decision_case_speedup(item), arena);
    // A terminal has no room for what the speed-up says already.
    bool has_delta = isfinite(item->cliffs_delta) && (blocks->has_wide_tables || item->round_count == 0);
    row->cells[at++] = has_delta ? arena_format(arena, "%+.2f", item->cliffs_delta) : "";
    row->cells[at++] = figure_p(isfinite(item->p_holm) ? item->p_holm : item->p_mann_whitney, arena);
    row->cells[at++] = figure_pct(item->smallest_detectable_pct, arena);
    row->cells[at++] = rounds_cell(item, arena);
    row->style_column = at;
    row->style = report_verdict_style(item->verdict);
    row->cells[at++] = verdict_cell(item, arena);
}

// Sentences that the table has no room for: guards, wrong results, what is undecided and why.
static void add_sentences(const struct decision *decision, struct report_blocks *blocks) {
    struct report_block *block = report_block_add(blocks, REPORT_LIST, NULL);
    for (size_t i = 0; i < decision->case_count; i++) {
        const struct decision_case *item = &decision->cases[i];
        const char *sentence = item->guard ? item->guard : item->sentence;
        if (sentence)
            report_item_add(blocks, block, arena_format(blocks->arena, "%s: %s", name_of(item), sentence));
    }
    if (block->row_count == 0) blocks->count--;
}

static const char *level_words(const struct decision *decision, struct arena *arena) {
    for (size_t i = 0; i < decision->case_count; i++) {
        double level = decision->cases[i].interval_level;
        if (!isfinite(level)) continue;
        bool is_look = fabs(level - 0.95) > 1e-9;
        return arena_format(arena, "Changes are of the time, with %.4g %% intervals%s. ", 100 * level,
                            is_look ? " (one look of four; together at least 95 %)" : "");
    }
    return "";
}

static void add_means(const struct decision *decision, struct report_blocks *blocks) {
    struct arena *arena = blocks->arena;
    struct report_block *block = report_block_add(blocks, REPORT_LINES, NULL);
    if (isfinite(decision->geomean_speedup))
        report_item_add(blocks, block,
                        arena_format(arena, "geometric mean speed-up %s, best %s (%s), worst %s (%s)",
                                     figure_ratio(decision->geomean_speedup, arena),
                                     figure_ratio(decision->best_speedup, arena), decision->best_name,
                                     figure_ratio(decision->worst_speedup, arena), decision->worst_name));
    if (isfinite(decision->regression_pct) && decision->regression_pct > 0)
        report_item_add(
            blocks, block,
            arena_format(arena,
                         "%sA regression is more than %g %% slower, an improvement more than %g %% faster.",
                         level_words(decision, arena), decision->regression_pct, decision->improvement_pct));
    if (block->row_count == 0) blocks->count--;
}

void report_content_decision(const struct result *result, const struct report_options *options,
                             struct report_blocks *blocks) {
    const struct decision *decision = result->decision;
    bool is_classic = str_equal(decision->rule, "classic");
    const char *const head[] = {"problem",
                                report_side_label(result, options, SIDE_BASELINE, blocks->arena),
                                report_side_label(result, options, SIDE_CANDIDATE, blocks->arena),
                                "change",
                                "speed-up",
                                "delta",
                                is_classic ? "p (U)" : "p (Holm)",
                                "could see",
                                "rounds",
                                "verdict"};
    struct report_block *table = report_table_add(blocks, "lrrlrrrrrl", head);
    for (size_t i = 0; i < decision->case_count; i++) add_row(&decision->cases[i], blocks, table);
    report_table_drop_empty(table);
    add_sentences(decision, blocks);
    add_means(decision, blocks);
}
