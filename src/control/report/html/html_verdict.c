// SPDX-License-Identifier: Apache-2.0
//
// The head of a page: what was decided, over how many problems, and how sure that is.
#include <math.h>

#include "control/report/html/html_text.h"
#include "control/report/html/html_view_internal.h"
#include "control/report/result/case_lines.h"
#include "control/report/result/figure_text.h"
#include "control/report/result/report_content.h"

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
    if (decision->exit_code == 0)
        return decision->verdict == VERDICT_IMPROVEMENT ? TONE_GOOD : TONE_HELD;
    return TONE_UNSURE;
}

static void add_count(const struct html_view *view, enum verdict verdict, size_t count) {
    const char *tone = html_tone_name(html_tone_of_verdict(verdict));
    strbuf_addf(view->out,
                "<li class=\"pill %s\"><svg class=\"i\" aria-hidden=\"true\"><use href=\"#i-%s\"/></svg>%zu %s</li>",
                tone, tone, count, verdict_text(verdict));
}

static void add_counts(const struct html_view *view) {
    size_t counts[VERDICT_COUNT] = {0};
    for (size_t i = 0; i < view->row_count; ++i)
        if (view->rows[i].decided) ++counts[view->rows[i].decided->verdict];
    strbuf_add(view->out, "<ul class=\"counts\">");
    for (int verdict = VERDICT_NONE + 1; verdict < VERDICT_COUNT; ++verdict)
        if (counts[verdict]) add_count(view, (enum verdict)verdict, counts[verdict]);
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
    const bool has_many = decision->case_count > 1;
    strbuf_add(view->out, "<dl class=\"tiles\">");
    add_tile(view, figure_ratio(decision->geomean_speedup, arena),
             has_many ? "speed-up, geometric mean" : "speed-up", NULL);
    if (has_many) {
        add_tile(view, figure_ratio(decision->best_speedup, arena), "best, ", decision->best_name);
        add_tile(view, figure_ratio(decision->worst_speedup, arena), "worst, ", decision->worst_name);
    }
    add_tile(view, arena_format(arena, "%zu", decision->case_count),
             decision->case_count == 1 ? "problem" : "problems", NULL);
    if (decision->round_count)
        add_tile(view, arena_format(arena, "%u", decision->round_count), "rounds of fresh processes", NULL);
    strbuf_add(view->out, "</dl>\n");
}

// What the means and thresholds of the text report say, as sentences.
static void add_sureness(const struct html_view *view) {
    struct report_blocks blocks = {.arena = view->arena, .has_utf8 = true};
    bool has_begun = false;
    if (view->result->decision) report_content_decision(view->result, view->options, &blocks);
    for (size_t i = 0; i < blocks.count; ++i) {
        const struct report_block *block = &blocks.items[i];
        if (block->kind != REPORT_LINES) continue;
        if (!has_begun) strbuf_add(view->out, "<h3>How sure</h3><ul class=\"sure\">");
        has_begun = true;
        for (size_t r = 0; r < block->row_count; ++r)
            html_add_between(view->out, "<li>", block->rows[r].cells[0], "</li>\n");
    }
    if (has_begun) strbuf_add(view->out, "</ul>\n");
}

void html_verdict_add(const struct html_view *view) {
    const struct decision *decision = view->result->decision;
    const char *tone = html_tone_name(tone_of(view));
    struct strbuf *out = view->out;
    strbuf_addf(out,
                "<section class=\"verdict %s\" aria-labelledby=\"verdict\"><div class=\"big\"><svg class=\"i\" "
                "aria-hidden=\"true\"><use href=\"#i-%s\"/></svg><h2 id=\"verdict\">",
                tone, tone);
    html_add_text(out, decision ? verdict_text(decision->verdict) : tally_word(view));
    strbuf_add(out, "</h2></div>\n");
    if (decision) {
        html_add_between(out, "<p class=\"lead\">", decision->sentence, "");
        strbuf_addf(out, "%s <span class=\"dim\">(exit %d)</span></p>\n",
                    decision->sentence && *decision->sentence ? "" : "<p>", decision->exit_code);
        add_counts(view);
        add_tiles(view);
        add_sureness(view);
    } else {
        strbuf_add(out, "<ul class=\"sure\">");
        for (uint32_t side = 0; side < view->result->side_count; ++side) {
            const struct check_counts counts = check_counts_get(view->result, side, true);
            html_add_between(out, "<li>",
                             check_tally(view->result, side, counts.total > counts.open, view->arena),
                             "</li>\n");
        }
        strbuf_addf(out, "<li>%zu %s measured</li></ul>\n", view->result->case_count,
                    view->result->case_count == 1 ? "problem" : "problems");
    }
    strbuf_add(out, "</section>\n");
}
