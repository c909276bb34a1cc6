// SPDX-License-Identifier: Apache-2.0
//
// The table of a decision: one row a problem with both medians, the change and its interval, the verdict and
// why; and of rounds how many, how far they spread, what they could have seen, and p before and after Holm.
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/strbuf.h"
#include "control/report/result/figure_text.h"
#include "control/report/result/report_content.h"
#include "control/verdict/decision_make.h"

static const char *verdict_cell(const struct decision_case *item, struct arena *arena) {
    const char *why = reason_text(item->reason);
    const char *outlier = item->is_outlier_round ? ", rounds not alike" : "";
    bool has_hidden = item->verdict == VERDICT_NOT_VALID && item->unguarded_verdict != VERDICT_NONE &&
                      item->unguarded_verdict != VERDICT_NOT_VALID;
    const char *hidden =
        has_hidden ? arena_format(arena, " (the rule alone: %s)", verdict_text(item->unguarded_verdict)) : "";
    return arena_format(arena, "%s%s%s%s%s", verdict_text(item->verdict), *why ? ": " : "", why, outlier,
                        hidden);
}

static const char *rounds_cell(const struct decision_case *item, struct arena *arena) {
    if (item->round_count == 0 && item->invalid_round_count == 0) return "";
    return item->invalid_round_count ? arena_format(arena, "%" PRIu32 " (+%" PRIu32 " invalid)",
                                                    item->round_count, item->invalid_round_count)
                                     : arena_format(arena, "%" PRIu32, item->round_count);
}

// Names of other tools' benchmarks may be long: what a table leaves out is in the middle, since they differ
// at the end.
static const char *name_cell(const struct decision_case *item, struct arena *arena) {
    enum { SHOWN = 60, SHOWN_TAIL = 24 };
    const char *name = decision_case_name(item);
    size_t length = strlen(name);
    if (length <= SHOWN) return name;
    size_t head = str_fitting(name, SHOWN - SHOWN_TAIL - 3), tail = length - SHOWN_TAIL;
    while (((unsigned char)name[tail] & 0xc0) == 0x80) ++tail;
    return arena_format(arena, "%.*s...%s", (int)head, name, name + tail);
}

// What both tables of a decision begin with: who, and in the first one what came out.
static size_t add_outcome(const struct decision_case *item, struct report_row *row, struct arena *arena) {
    size_t at = 0;
    row->cells[at++] = name_cell(item, arena);
    row->cells[at++] = figure_time(item->median_base_ns, arena);
    row->cells[at++] = figure_time(item->median_cand_ns, arena);
    row->cells[at++] = figure_change(item, arena);
    row->cells[at++] = figure_ratio(decision_case_speedup(item), arena);
    return at;
}

static const char *delta_cell(const struct decision_case *item, struct arena *arena) {
    return isfinite(item->cliffs_delta) ? arena_format(arena, "%+.2f", item->cliffs_delta) : "";
}

// How far a verdict of rounds can be trusted.
static size_t add_trust(const struct decision_case *item, struct report_row *row, size_t at,
                        struct arena *arena) {
    row->cells[at++] = rounds_cell(item, arena);
    row->cells[at++] = figure_pct(item->spread_pct, arena);
    row->cells[at++] = figure_pct(item->smallest_detectable_pct, arena);
    row->cells[at++] = figure_p(item->p_raw, arena);
    row->cells[at++] = figure_p(item->p_holm, arena);
    row->cells[at++] = delta_cell(item, arena);
    return at;
}

static void add_verdict(const struct decision_case *item, struct report_row *row, size_t at,
                        struct arena *arena) {
    row->style_column = at;
    row->style = report_verdict_style(item->verdict);
    row->cells[at] = verdict_cell(item, arena);
}

#define TRUST_HEAD "rounds", "spread", "could see", "p", "p (Holm)", "delta"

static void add_classic_table(const struct decision *decision, const char *base, const char *cand,
                              struct report_blocks *blocks) {
    const char *const head[] = {"problem", base, cand, "change", "speed-up", "delta", "p (U)", "verdict"};
    struct report_block *table = report_table_add(blocks, "lrrlrrrl", head);
    for (size_t i = 0; i < decision->case_count; ++i) {
        const struct decision_case *item = &decision->cases[i];
        struct report_row *row = report_row_add(blocks, table);
        size_t at = add_outcome(item, row, blocks->arena);
        row->cells[at++] = delta_cell(item, blocks->arena);
        row->cells[at++] = figure_p(item->p_mann_whitney, blocks->arena);
        add_verdict(item, row, at, blocks->arena);
    }
    report_table_drop_empty(table);
}

static void add_wide_table(const struct decision *decision, const char *base, const char *cand,
                           struct report_blocks *blocks) {
    const char *const head[] = {"problem", base, cand, "change", "speed-up", TRUST_HEAD, "verdict"};
    struct report_block *table = report_table_add(blocks, "lrrlrrrrrrrl", head);
    for (size_t i = 0; i < decision->case_count; ++i) {
        const struct decision_case *item = &decision->cases[i];
        struct report_row *row = report_row_add(blocks, table);
        size_t at = add_outcome(item, row, blocks->arena);
        at = add_trust(item, row, at, blocks->arena);
        add_verdict(item, row, at, blocks->arena);
    }
    report_table_drop_empty(table);
}

// A terminal has no room for all of it side by side: what came out, and below it how far that can be trusted.
static void add_two_tables(const struct decision *decision, const char *base, const char *cand,
                           struct report_blocks *blocks) {
    const char *const head[] = {"problem", base, cand, "change", "speed-up", "verdict"};
    const char *const trust_head[] = {"problem", TRUST_HEAD};
    struct report_block *table = report_table_add(blocks, "lrrlrl", head);
    for (size_t i = 0; i < decision->case_count; ++i) {
        struct report_row *row = report_row_add(blocks, table);
        size_t at = add_outcome(&decision->cases[i], row, blocks->arena);
        add_verdict(&decision->cases[i], row, at, blocks->arena);
    }
    report_table_drop_empty(table);
    table = report_table_add(blocks, "lrrrrrr", trust_head);
    for (size_t i = 0; i < decision->case_count; ++i) {
        const struct decision_case *item = &decision->cases[i];
        if (item->round_count == 0 && item->invalid_round_count == 0) continue;
        struct report_row *row = report_row_add(blocks, table);
        row->cells[0] = name_cell(item, blocks->arena);
        add_trust(item, row, 1, blocks->arena);
    }
    if (table->row_count)
        report_table_drop_empty(table);
    else
        --blocks->count;
}

// Sentences that the table has no room for: guards, wrong results, what is undecided and why.
static void add_sentences(const struct decision *decision, struct report_blocks *blocks) {
    struct report_block *block = report_block_add(blocks, REPORT_LIST, NULL);
    for (size_t i = 0; i < decision->case_count; ++i) {
        const struct decision_case *item = &decision->cases[i];
        const char *sentence = item->guard ? item->guard : item->sentence;
        if (sentence)
            report_item_add(blocks, block,
                            arena_format(blocks->arena, "%s: %s", decision_case_name(item), sentence));
    }
    if (block->row_count == 0) --blocks->count;
}

// Of the first problem that has one; NAN: none has.
static double interval_level(const struct decision *decision) {
    for (size_t i = 0; i < decision->case_count; ++i)
        if (isfinite(decision->cases[i].interval_level)) return decision->cases[i].interval_level;
    return NAN;
}

static bool is_look(double level) {
    return isfinite(level) && fabs(level - 0.95) > 1e-9;
}

static bool has_rounds(const struct decision *decision) {
    for (size_t i = 0; i < decision->case_count; ++i)
        if (decision->cases[i].round_count > 1) return true;
    return false;
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
    double level = interval_level(decision);
    if (isfinite(level))
        report_item_add(blocks, block,
                        arena_format(arena, "Changes are of the time, with %.4g %% intervals%s.", 100 * level,
                                     is_look(level) ? " (one look of four; together about 95 %)" : ""));
    if (has_rounds(decision)) {
        report_item_add(blocks, block,
                        arena_format(arena, "Spread is of the change between rounds; p is %s.",
                                     is_look(level)
                                         ? "of the last look, two-sided, against no change, and not "
                                           "adjusted for the looks"
                                         : "two-sided, against no change"));
        report_item_add(
            blocks, block,
            "Could see: the smallest change that these rounds tell from none with 90 % probability.");
    }
    if (isfinite(decision->regression_pct) && decision->regression_pct > 0)
        report_item_add(
            blocks, block,
            arena_format(arena,
                         "A regression is more than %g %% slower, an improvement more than %g %% faster.",
                         decision->regression_pct, decision->improvement_pct));
    if (block->row_count == 0) --blocks->count;
}

void report_content_decision(const struct result *result, const struct report_options *options,
                             struct report_blocks *blocks) {
    const struct decision *decision = result->decision;
    if (decision->case_count == 0) return; // no table, and no thresholds that nothing was held against
    const char *base = report_side_label(result, options, SIDE_BASELINE, blocks->arena);
    const char *cand = report_side_label(result, options, SIDE_CANDIDATE, blocks->arena);
    if (str_equal(decision->rule, "classic"))
        add_classic_table(decision, base, cand, blocks);
    else if (blocks->has_wide_tables)
        add_wide_table(decision, base, cand, blocks);
    else
        add_two_tables(decision, base, cand, blocks);
    add_sentences(decision, blocks);
    add_means(decision, blocks);
}
