// SPDX-License-Identifier: Apache-2.0
//
// The problems one by one, each folded: why it was decided so, the sides' figures, distribution and course.
#include <math.h>

#include "base/html_text.h"
#include "report/html/html_blocks.h"
#include "report/html/html_view_internal.h"
#include "report/result/figure_text.h"
#include "report/result/report_parts.h"

#define OPEN_MAX 3 // a page of so few problems shows all of them

static void add_sign(const struct html_view *view, size_t side) {
    strbuf_addf(
        view->out,
        "<svg class=\"sign\" width=\"14\" height=\"12\" aria-hidden=\"true\"><path class=\"points s%zu\" "
        "d=\"M7 6h0\"/></svg>",
        side);
    html_add_text(view->out, result_side_name(view->result, side, view->arena));
}

static const char *ceiling_text(const struct case_summary *figures, struct arena *arena) {
    return isfinite(figures->ceiling_pct) ? arena_format(arena, "%.0f %%", figures->ceiling_pct) : "";
}

// The figures that the charts show, in words: a row a side.
static void add_figures(const struct html_view *view, const struct result_case *item) {
    static const char *const head[] = {"side",   "median",     "95 % interval",  "P95", "CV", "rate",
                                       "memory", "of ceiling", "samples counted"};
    const struct result *result = view->result;
    const char *metric = result->environment.metric;
    struct report_blocks blocks = {.arena = view->arena, .has_utf8 = true};
    struct report_block *table = report_table_add(&blocks, "lrrrrrrrr", head);
    for (uint32_t side = 0; side < result->side_count; ++side) {
        const struct case_summary *figures = &item->summaries[side];
        struct report_row *row = report_row_add(&blocks, table);
        row->cells[0] = result_side_name(result, side, view->arena);
        if (!figures->is_set) row->cells[1] = report_untimed_label(result_case_outcome(item, side));
        if (!figures->is_set) continue;
        row->cells[1] = figure_amount(metric, figures->median_ns, view->arena);
        row->cells[2] = figure_amount_interval(metric, figures->median_low_ns, figures->median_high_ns,
                                               figures->median_ns, view->arena);
        row->cells[3] = figure_amount(metric, figures->p95_ns, view->arena);
        row->cells[4] = figure_pct(figures->cv_pct, view->arena);
        row->cells[5] = figure_flop_rate(figures->gflop_per_s, view->arena);
        row->cells[6] = figure_byte_rate(figures->gb_per_s, view->arena);
        row->cells[7] = ceiling_text(figures, view->arena);
        row->cells[8] = arena_format(view->arena, "%zu", figures->sample_count);
    }
    report_table_drop_empty(table);
    html_blocks_add(&blocks, 4, view->out);
}

// How far the verdict can be trusted.
static void add_trust(const struct html_view *view, const struct decision_case *decided) {
    struct report_blocks blocks = {.arena = view->arena, .has_utf8 = true};
    struct report_block *facts = report_block_add(&blocks, REPORT_FACTS, NULL);
    struct arena *arena = view->arena;
    const char *rounds = decided->round_count ? arena_format(arena, "%u", decided->round_count) : NULL;
    if (decided->invalid_round_count)
        rounds = arena_format(arena, "%u, and %u that are not valid", decided->round_count,
                              decided->invalid_round_count);
    report_fact_add(&blocks, facts, "rounds", rounds);
    report_fact_add(&blocks, facts, "spread between rounds", figure_pct(decided->spread_pct, arena));
    report_fact_add(&blocks, facts, "smallest change detected in 90 %",
                    figure_pct(decided->smallest_detectable_pct, arena));
    report_fact_add(&blocks, facts, "p against no change", figure_p(decided->p_raw, arena));
    report_fact_add(&blocks, facts, "p, Holm over all problems", figure_p(decided->p_holm, arena));
    report_fact_add(&blocks, facts, "p, Mann-Whitney U", figure_p(decided->p_mann_whitney, arena));
    report_block_drop_empty(&blocks, facts);
    html_blocks_add(&blocks, 4, view->out);
}

static void add_summary(const struct html_view *view, const struct html_row *row) {
    struct strbuf *out = view->out;
    strbuf_add(out, "<summary><h3 class=\"name\">");
    html_add_text(out, row->name);
    strbuf_add(out, "</h3>");
    if (row->decided) {
        html_pill_add(view, row->tone, row->word);
        strbuf_add(out, "<span class=\"change\">");
        html_change_add(view, row);
        strbuf_add(out, "</span>");
    }
    strbuf_add(out, "</summary>\n");
}

static int add_problem(const struct html_view *view, const struct html_row *row, bool is_open) {
    struct strbuf *out = view->out;
    strbuf_addf(out, "<details class=\"problem\" id=\"p%zu\"%s>", row->number, is_open ? " open=\"\"" : "");
    add_summary(view, row);
    if (!str_equal(row->item->problem.name, row->name))
        html_add_between(out, "<p class=\"dim name\">", row->item->problem.name, "</p>\n");
    html_add_between(out, "<p>", row->reason, "</p>\n");
    add_figures(view, row->item);
    strbuf_add(out, "<p class=\"legend\">");
    for (size_t side = 0; side < view->result->side_count; ++side) {
        strbuf_add(out, "<span>");
        add_sign(view, side);
        strbuf_add(out, "</span> ");
    }
    strbuf_add(out, "</p>\n");
    html_distribution_add(view, row->item);
    const int status = html_course_add(view, row->item);
    if (row->decided) add_trust(view, row->decided);
    strbuf_add(out, "</details>\n");
    return status;
}

int html_problems_add(const struct html_view *view) {
    size_t count = 0, left_out;
    for (size_t i = 0; i < view->row_count; ++i) {
        const struct html_row *row = &view->rows[i];
        if (!row->has_details) continue;
        const bool is_open = count == 0 || view->result->case_count <= OPEN_MAX;
        if (add_problem(view, row, is_open) < 0) return -1;
        ++count;
    }
    left_out = view->result->case_count > count ? view->result->case_count - count : 0;
    if (left_out)
        strbuf_addf(view->out,
                    "<p class=\"dim\">Charts are of %zu problems%s; %zu more are in the table "
                    "only.</p>\n",
                    count, view->result->decision ? ", the worst" : "", left_out);
    return 0;
}
