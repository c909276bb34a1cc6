// SPDX-License-Identifier: Apache-2.0
//
// What moved between the sides, problem by problem: causes with their share of the difference, then other
// figures that moved. Of a problem of which nothing is known nothing is said.
#include <math.h>
#include <stdio.h>

#include "base/comma.h"
#include "base/strbuf.h"
#include "report/result/report_parts.h"

enum { CAUSES_SHOWN_MAX = 5, MOVED_SHOWN_MAX = 6, NOTES_SHOWN_MAX = 3 };

// "bank_conflict_pct 0.5 -> 60"
static const char *change_text(const struct explanation_cause *cause, struct arena *arena) {
    return arena_format(arena, "%s %.4g -> %.4g", cause->metric, cause->baseline, cause->candidate);
}

static const char *title_of(const struct explanation_case *item, struct arena *arena) {
    const char *name = str_or(item->short_name, item->problem);
    const char *by = item->profiler ? arena_format(arena, ", counted by %s", item->profiler) : "";
    if (isnan(item->change_pct)) return arena_format(arena, "What moved on %s%s", name, by);
    return arena_format(arena, "What moved on %s (%.1f %% %s%s)", name, fabs(item->change_pct),
                        item->change_pct < 0 ? "faster" : "slower", by);
}

static void add_case(const struct explanation_case *item, struct report_blocks *blocks) {
    struct arena *arena = blocks->arena;
    struct report_block *block = report_block_add(blocks, REPORT_LIST, title_of(item, arena));
    struct strbuf moved = {0};
    for (size_t i = 0; i < item->cause_count && i < CAUSES_SHOWN_MAX; ++i) {
        const struct explanation_cause *cause = &item->causes[i];
        const char *share =
            isfinite(cause->share_pct) ? arena_format(arena, "up to %.0f %% of it: ", cause->share_pct) : "";
        report_item_addf(blocks, block, "%s%s (%s). Look at %s", share, str_or(cause->sentence, "moved"),
                         change_text(cause, arena), str_or(cause->look_at, "it"));
    }
    if (!item->cause_count && item->profiler)
        report_item_add(blocks, block, "nothing that was counted accounts for the difference");
    for (size_t i = 0; i < item->moved_count && i < MOVED_SHOWN_MAX; ++i)
        comma_add(&moved, change_text(&item->moved[i], arena));
    if (moved.length) report_item_addf(blocks, block, "moved, too: %s", strbuf_text(&moved));
    strbuf_fini(&moved);
    report_block_drop_empty(blocks, block);
}

void report_content_explanation(const struct result *result, struct report_blocks *blocks) {
    const struct explanation *explanation = result->explanation;
    for (size_t i = 0; explanation && i < explanation->case_count; ++i)
        add_case(&explanation->cases[i], blocks);
}

// What keeps a profiler from counting once keeps it from counting on all problems: each reason once.
void report_content_unexplained(const struct result *result, struct report_blocks *blocks) {
    const struct explanation *explanation = result->explanation;
    if (!explanation) return;
    if (explanation->note)
        report_block_add(blocks, REPORT_PARAGRAPH,
                         arena_format(blocks->arena, "What moved: %s.", explanation->note));
    struct report_block *block = report_block_add(blocks, REPORT_LIST, "What moved");
    for (size_t i = 0; i < explanation->case_count && block->row_count < NOTES_SHOWN_MAX; ++i) {
        const char *note = explanation->cases[i].note;
        bool is_said = !note;
        for (size_t k = 0; k < block->row_count && !is_said; ++k)
            is_said = str_equal(block->rows[k].cells[0], note);
        if (!is_said) report_item_add(blocks, block, note);
    }
    report_block_drop_empty(blocks, block);
}
