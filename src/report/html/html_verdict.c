// SPDX-License-Identifier: Apache-2.0
//
// The head of a page: what was decided, over how many problems, and how sure that is.
#include <math.h>

#include "base/html_text.h"
#include "report/html/html_blocks.h"
#include "report/html/html_view_internal.h"
#include "report/result/case_lines.h"
#include "report/result/figure_text.h"
#include "report/result/report_parts.h"

static const char *tally_word(const struct html_view *view) {
    for (uint32_t side = 0; side < view->result->side_count; ++side)
        for (int is_matrix = 0; is_matrix < 2; ++is_matrix) {
            const struct check_counts counts = check_counts_get(view->result, side, is_matrix);
            if (counts.failed || counts.crashed || counts.timed_out) return "wrong result";
        }
    return view->result->case_count ? "measured" : "checked";
}

// Of a run without a decision nothing but a wrong result is a verdict.
static enum html_tone tone_of(const struct html_view *view) {
    const struct decision *decision = view->result->decision;
    if (!decision) return str_equal(tally_word(view), "wrong result") ? TONE_BAD : TONE_NEUTRAL;
    if (decision->exit_code == 1) return TONE_BAD;
    if (decision->exit_code == 0) return decision->verdict == VERDICT_IMPROVEMENT ? TONE_GOOD : TONE_HELD;
    return TONE_UNSURE;
}

static void add_counts(const struct html_view *view) {
    size_t counts[VERDICT_COUNT] = {0};
    for (size_t i = 0; i < view->row_count; ++i)
        if (view->rows[i].decided) ++counts[view->rows[i].decided->verdict];
    strbuf_add(view->out, "<ul class=\"counts\">");
    for (int verdict = VERDICT_NONE + 1; verdict < VERDICT_COUNT; ++verdict)
        if (counts[verdict]) {
            strbuf_add(view->out, "<li>");
            html_pill_add(view, html_tone_of_verdict((enum verdict)verdict),
                          arena_format(view->arena, "%zu %s", counts[verdict],
                                       verdict_text_of(counts[verdict], (enum verdict)verdict)));
            strbuf_add(view->out, "</li>");
        }
    strbuf_add(view->out, "</ul>\n");
}

static void add_tile(const struct html_view *view, const char *value, const char *name, const char *of) {
    if (!*value) return;
    strbuf_addf(view->out, "<div><dt>%s", name);
    html_add_between(view->out, "<span class=\"name\">", of, "</span>");
    html_add_between(view->out, "</dt><dd>", value, "</dd></div>");
}

static void add_tiles(const struct html_view *view) {
    const struct decision *decision = view->result->decision;
    struct arena *arena = view->arena;
    const char *best = figure_ratio(decision->best_speedup, arena);
    const char *worst = figure_ratio(decision->worst_speedup, arena);
    const bool has_many = decision->case_count > 1 && !str_equal(best, worst); // else all three are one
    strbuf_add(view->out, "<dl class=\"tiles\">");
    add_tile(view, figure_ratio(decision->geomean_speedup, arena),
             has_many ? "speed-up, geometric mean" : "speed-up", NULL);
    if (has_many) {
        add_tile(view, best, "best, ", decision->best_name);
        add_tile(view, worst, "worst, ", decision->worst_name);
    }
    add_tile(view, arena_format(arena, "%zu", decision->case_count),
             decision->case_count == 1 ? "problem" : "problems", NULL);
    if (decision->round_count)
        add_tile(view, arena_format(arena, "%u", decision->round_count), "rounds of fresh processes", NULL);
    strbuf_add(view->out, "</dl>\n");
}

static void add_sureness(const struct html_view *view) {
    struct report_blocks blocks = {.arena = view->arena, .has_utf8 = true};
    struct report_block *block = report_block_add(&blocks, REPORT_LIST, "How sure");
    report_add_sureness(view->result, &blocks, block);
    report_block_drop_empty(&blocks, block);
    strbuf_add(view->out, "<div class=\"sure\">");
    html_blocks_add(&blocks, 3, view->out);
    strbuf_add(view->out, "</div>\n");
}

// Of a run without a decision: what was checked, and how the sides compare.
static void add_measured(const struct html_view *view, const struct report_blocks *figures) {
    struct report_blocks blocks = {.arena = view->arena, .has_utf8 = true};
    struct report_block *list = report_block_add(&blocks, REPORT_LIST, NULL);
    for (uint32_t side = 0; side < view->result->side_count; ++side) {
        const struct check_counts counts = check_counts_get(view->result, side, true);
        report_item_add(&blocks, list,
                        check_tally(view->result, side, counts.total > counts.open, view->arena));
    }
    for (size_t i = 0; i < figures->count; ++i) // the standings have no title
        if (figures->items[i].kind == REPORT_LINES && !figures->items[i].text)
            for (size_t r = 0; r < figures->items[i].row_count; ++r)
                report_item_add(&blocks, list, figures->items[i].rows[r].cells[0]);
    html_blocks_add(&blocks, 3, view->out);
}

void html_verdict_add(const struct html_view *view, const struct report_blocks *figures) {
    const struct decision *decision = view->result->decision;
    const char *tone = html_tone_name(tone_of(view));
    struct strbuf *out = view->out;
    strbuf_addf(
        out,
        "<section class=\"verdict %s\" aria-labelledby=\"verdict\"><div><div class=\"big\"><svg class=\"i\" "
        "aria-hidden=\"true\"><use href=\"#i-%s\"/></svg><h2 id=\"verdict\">",
        tone, tone);
    html_add_text(out, decision ? verdict_text(decision->verdict) : tally_word(view));
    strbuf_add(out, "</h2></div>\n");
    if (!decision) {
        add_measured(view, figures);
    } else {
        strbuf_add(out, "<p class=\"lead\">");
        html_add_between(out, "", decision->sentence, " ");
        strbuf_addf(out, "<span class=\"dim\">(exit %d)</span></p>\n", decision->exit_code);
        add_counts(view);
        if (decision->case_count) add_tiles(view);
    }
    strbuf_add(out, "</div>\n");
    if (decision && decision->case_count) add_sureness(view);
    strbuf_add(out, "</section>\n");
}
