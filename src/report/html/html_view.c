// SPDX-License-Identifier: Apache-2.0
//
// The rows of a page: from a decision one a problem, else one a problem and side.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/html_text.h"
#include "record/metric.h"
#include "report/html/html_limits.h"
#include "report/html/html_view_internal.h"
#include "report/result/figure_text.h"
#include "report/result/report_parts.h"
#include "verdict/decision_make.h"

static const char *const tone_names[TONE_COUNT] = {
    [TONE_NEUTRAL] = "neutral", [TONE_HELD] = "held", [TONE_GOOD] = "good",
    [TONE_UNSURE] = "unsure",   [TONE_BAD] = "bad",
};

const char *html_tone_name(enum html_tone tone) {
    return tone_names[tone];
}

enum html_tone html_tone_of_verdict(enum verdict verdict) {
    switch (verdict) {
    case VERDICT_IMPROVEMENT: return TONE_GOOD;
    case VERDICT_MAINTAINED:
    case VERDICT_SAME_CODE: return TONE_HELD;
    case VERDICT_REGRESSION:
    case VERDICT_WORSE_BUILD:
    case VERDICT_WRONG: return TONE_BAD;
    case VERDICT_NO_DIFFERENCE:
    case VERDICT_UNDECIDABLE:
    case VERDICT_NOT_VALID:
    case VERDICT_REMOVED: return TONE_UNSURE;
    default: return TONE_NEUTRAL;
    }
}

const char *html_measured(const struct html_view *view) {
    return metric_is_counted(metric_parse(view->result->environment.metric)) ? "count" : "time";
}

// The result's case of a decision: mostly at the same place.
static const struct result_case *case_of(const struct result *result, const char *name, size_t guess) {
    if (guess < result->case_count && result_case_is(&result->cases[guess], name))
        return &result->cases[guess];
    return result_find_case(result, name);
}

static struct html_row decided_row(const struct html_view *view, size_t index) {
    const struct decision_case *decided = &view->result->decision->cases[index];
    const char *why = decided->guard ? decided->guard : decided->sentence;
    const char *change = figure_change(decided, view->arena);
    return (struct html_row){.number = index,
                             .item = case_of(view->result, decided->name, index),
                             .decided = decided,
                             .name = decision_case_name(decided),
                             .word = verdict_text(decided->verdict),
                             .reason = why ? why : reason_text(decided->reason),
                             .tone = html_tone_of_verdict(decided->verdict),
                             .change_pct = decided->change_pct,
                             .low_pct = decided->change_low_pct,
                             .high_pct = decided->change_high_pct,
                             .change = arena_strndup(view->arena, change, strcspn(change, "(")),
                             .interval = strchr(change, '(')};
}

static double fastest_ns(const struct result *result, const struct result_case *item) {
    double fastest = NAN;
    for (size_t side = 0; side < result->side_count; ++side)
        if (item->summaries[side].is_set) fastest = fmin(fastest, item->summaries[side].median_ns);
    return fastest;
}

// Of a side without a valid time nobody knows whether it is faster.
static const char *fastest_word(const struct result *result, const struct result_case *item) {
    for (uint32_t side = 0; side < result->side_count; ++side)
        if (!item->summaries[side].is_set && result_case_outcome(item, side) != OUTCOME_UNSUPPORTED)
            return "fastest of those with a time";
    return "fastest";
}

static struct html_row measured_row(const struct html_view *view, size_t index, uint32_t side) {
    const struct result *result = view->result;
    const struct result_case *item = &result->cases[index];
    const struct case_summary *figures = &item->summaries[side];
    const enum outcome outcome = result_case_outcome(item, side);
    struct html_row row = {.number = index,
                           .item = item,
                           .side = side,
                           .name = result_case_name(item),
                           .word = figures->is_set ? NULL : report_untimed_label(outcome),
                           .change_pct = NAN,
                           .low_pct = NAN,
                           .high_pct = NAN,
                           .change = ""};
    if (result->side_count > 1) row.label = result_side_name(result, side, view->arena);
    if (!figures->is_set) row.tone = outcome_is_wrong(outcome) ? TONE_BAD : TONE_UNSURE;
    if (!figures->is_set) return row;
    const double fastest = fastest_ns(result, item);
    row.change_pct = 100 * (figures->median_ns / fastest - 1);
    row.low_pct = 100 * (figures->median_low_ns / fastest - 1);
    row.high_pct = 100 * (figures->median_high_ns / fastest - 1);
    if (result->side_count > 1 && row.change_pct == 0) row.change = fastest_word(result, item);
    if (row.change_pct > 0)
        row.change = arena_format(view->arena, "%s more time", figure_pct(row.change_pct, view->arena));
    return row;
}

// The worst first: by tone, then the slowest; what is not known last.
static int compare_rows(const void *left, const void *right) {
    const struct html_row *a = left, *b = right;
    if (a->decided && a->tone != b->tone) return a->tone > b->tone ? -1 : 1;
    const double x = a->decided && isfinite(a->change_pct) ? a->change_pct : -INFINITY;
    const double y = b->decided && isfinite(b->change_pct) ? b->change_pct : -INFINITY;
    if (x != y) return x > y ? -1 : 1;
    if (a->number != b->number) return a->number < b->number ? -1 : 1;
    return a->side < b->side ? -1 : a->side > b->side;
}

// The rows of a problem stand together.
static void set_details(struct html_view *view) {
    size_t count = 0;
    for (size_t i = 0; i < view->row_count && count < HTML_PROBLEMS_MAX; ++i) {
        struct html_row *row = &view->rows[i];
        row->has_details = row->item && (i == 0 || row->item != row[-1].item);
        count += row->has_details;
    }
}

void html_view_fill(struct html_view *view) {
    const struct result *result = view->result;
    const struct decision *decision = result->decision;
    view->row_count = decision ? decision->case_count : result->case_count * result->side_count;
    view->rows = arena_array(view->arena, view->row_count + 1, sizeof *view->rows);
    for (size_t i = 0; i < view->row_count; ++i)
        view->rows[i] = decision
                            ? decided_row(view, i)
                            : measured_row(view, i / result->side_count, (uint32_t)(i % result->side_count));
    qsort(view->rows, view->row_count, sizeof *view->rows, compare_rows);
    set_details(view);
    const size_t problems = result->case_count < HTML_PROBLEMS_MAX ? result->case_count : HTML_PROBLEMS_MAX;
    const size_t plots = 2 * problems * result->side_count; // course and distribution
    const size_t share = HTML_POINTS_MAX / (plots ? plots : 1);
    view->points_max = share < HTML_PLOT_POINTS_MIN   ? HTML_PLOT_POINTS_MIN
                       : share > HTML_PLOT_POINTS_MAX ? HTML_PLOT_POINTS_MAX
                                                      : share;
}

void html_pill_add(const struct html_view *view, enum html_tone tone, const char *text) {
    const char *name = html_tone_name(tone);
    strbuf_addf(view->out,
                "<span class=\"pill %s\"><svg class=\"i\" aria-hidden=\"true\"><use href=\"#i-%s\"/></svg>",
                name, name);
    html_add_text(view->out, text);
    strbuf_add(view->out, "</span>");
}

void html_change_add(const struct html_view *view, const struct html_row *row) {
    html_add_text(view->out, row->change);
    html_add_between(view->out, "<span class=\"interval\">", row->interval, "</span>");
}

void html_section_begin(const struct html_view *view, const char *id, const char *title) {
    strbuf_addf(view->out, "<section aria-labelledby=\"%s\"><h2 id=\"%s\">%s</h2>\n", id, id, title);
    strbuf_addf(view->links, "<a href=\"#%s\">%s</a> ", id, title);
}

void html_section_end(const struct html_view *view) {
    strbuf_add(view->out, "</section>\n");
}
