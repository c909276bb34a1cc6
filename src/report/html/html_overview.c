// SPDX-License-Identifier: Apache-2.0
//
// All problems at a glance: a table whose second column is a forest plot, change and confidence interval on
// one axis, with the thresholds. The axis is logarithmic in the ratio of the times: half and double are
// equally far from none.
#include <math.h>

#include "base/html_text.h"
#include "report/html/html_view_internal.h"
#include "report/result/figure_text.h"
#include "report/result/report_parts.h"
#include "verdict/decision_make.h"

#define PCT_LOW         (-97.0) // changes beyond are drawn at the edge
#define PCT_HIGH        3900.0
#define TICK_GAP        18.0 // per cent of the axis, at least, between two labels
#define TICK_GAP_NARROW 26.0 // on a phone
#define MARGIN          0.09 // of the axis, so that the outermost label fits

struct axis {
    double low, high;      // ln of the ratio
    double slower, faster; // thresholds in per cent; NAN: none
};

static double place(const struct axis *axis, double pct) {
    const double held = fmin(fmax(pct, PCT_LOW), PCT_HIGH);
    return 100 * (log1p(held / 100) - axis->low) / (axis->high - axis->low);
}

static void widen(struct axis *axis, double pct) {
    if (!isfinite(pct)) return;
    const double at = log1p(fmin(fmax(pct, PCT_LOW), PCT_HIGH) / 100);
    axis->low = fmin(axis->low, at);
    axis->high = fmax(axis->high, at);
}

enum { STEPS = 18 };
// Where ticks may stand: above no change, and below it.
static const double steps[2][STEPS] = {
    {0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 50, 70, 100, 200, 300, 500, 1000, 2000, 3000},
    {-0.1, -0.2, -0.5, -1, -2, -5, -10, -20, -30, -40, -50, -60, -70, -80, -85, -90, -93, -96}};

// The first step that is not nearer to no change; beyond all, pct itself.
static double outer_step(size_t side, double pct) {
    for (size_t i = 0; i < STEPS; ++i)
        if (fabs(steps[side][i]) >= fabs(pct) * (1 - 1e-9)) return steps[side][i];
    return pct;
}

static struct axis axis_of(const struct html_view *view) {
    const struct decision *decision = view->result->decision;
    struct axis axis = {.low = -0.004, .high = 0.004, .slower = NAN, .faster = NAN};
    if (decision && decision->regression_pct > 0) axis.slower = decision->regression_pct;
    if (decision && decision->improvement_pct > 0) axis.faster = -decision->improvement_pct;
    widen(&axis, axis.slower);
    widen(&axis, axis.faster);
    for (size_t i = 0; i < view->row_count; ++i) {
        widen(&axis, view->rows[i].change_pct);
        widen(&axis, view->rows[i].low_pct);
        widen(&axis, view->rows[i].high_pct);
    }
    // To the next tick beyond the outermost mark, which a reader then can place.
    const double low = outer_step(1, expm1(axis.low) * 100), high = outer_step(0, expm1(axis.high) * 100);
    widen(&axis, low);
    widen(&axis, high);
    const double margin = MARGIN * (axis.high - axis.low);
    axis.low -= margin;
    axis.high += margin;
    return axis;
}

// ---- the axis ----

// fine: left out where the page is narrow.
static void add_tick(const struct html_view *view, const struct axis *axis, double pct, bool is_fine) {
    strbuf_addf(view->out, "<text x=\"%.1f%%\" y=\"26\"%s>", place(axis, pct),
                is_fine ? " class=\"fine\"" : "");
    strbuf_addf(view->out, pct == 0 ? "%g</text>" : "%+g %%</text>", pct);
}

// The last step that the axis has room for.
static size_t outermost(const struct axis *axis, size_t side) {
    size_t last = STEPS;
    for (size_t i = 0; i < STEPS; ++i) {
        const double at = place(axis, steps[side][i]);
        if (at > 4 && at < 96) last = i;
    }
    return last;
}

// Ticks from no change outwards, on both sides, with room between the labels; the outermost has it before
// those between.
static void add_ticks(const struct html_view *view, const struct axis *axis) {
    const double none = place(axis, 0);
    add_tick(view, axis, 0, false);
    for (size_t side = 0; side < 2; ++side) {
        const size_t outer = outermost(axis, side);
        const double end = outer < STEPS ? place(axis, steps[side][outer]) : none;
        double last = none, last_coarse = none;
        for (size_t i = 0; i < STEPS; ++i) {
            const double at = place(axis, steps[side][i]);
            const bool is_outer = i == outer;
            if (fabs(at - last) < TICK_GAP || i > outer || (!is_outer && fabs(at - end) < TICK_GAP)) continue;
            const bool is_fine = fabs(at - last_coarse) < TICK_GAP_NARROW || at < 10 || at > 90;
            add_tick(view, axis, steps[side][i], is_fine);
            last = at;
            if (!is_fine) last_coarse = at;
        }
    }
}

static void add_axis(const struct html_view *view, const struct axis *axis) {
    strbuf_add(view->out, "<svg class=\"axis\" height=\"32\" aria-hidden=\"true\">");
    if (view->result->decision)
        strbuf_addf(
            view->out,
            "<text class=\"dim\" x=\"%.1f%%\" y=\"10\" dx=\"-12\" text-anchor=\"end\">&#8592; faster</text>"
            "<text class=\"dim\" x=\"%.1f%%\" y=\"10\" dx=\"12\" text-anchor=\"start\">slower "
            "&#8594;</text>",
            place(axis, 0), place(axis, 0));
    add_ticks(view, axis);
    strbuf_add(view->out, "</svg>");
}

// ---- a row ----

static void add_rule(const struct html_view *view, const char *class, double x) {
    strbuf_addf(view->out, "<line class=\"%s\" x1=\"%.1f%%\" x2=\"%.1f%%\" y2=\"100%%\"/>", class, x, x);
}

// The band between the thresholds, no change, the interval and the estimate.
static void add_plot(const struct html_view *view, const struct axis *axis, const struct html_row *row) {
    static const char *const marks[TONE_COUNT] = {
        [TONE_NEUTRAL] = "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0z",
        [TONE_HELD] = "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0z",
        [TONE_GOOD] = "M0-6l6 6-6 6-6-6z",
        [TONE_UNSURE] = "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0z",
        [TONE_BAD] = "M-4.5-4.5h9v9h-9z"};
    strbuf_addf(view->out, "<svg class=\"forest %s\" aria-hidden=\"true\">", html_tone_name(row->tone));
    if (isfinite(axis->slower) && isfinite(axis->faster))
        strbuf_addf(view->out, "<rect class=\"between\" x=\"%.1f%%\" width=\"%.1f%%\" height=\"100%%\"/>",
                    place(axis, axis->faster), place(axis, axis->slower) - place(axis, axis->faster));
    if (isfinite(axis->slower)) add_rule(view, "limit", place(axis, axis->slower));
    if (isfinite(axis->faster)) add_rule(view, "limit", place(axis, axis->faster));
    add_rule(view, "none", place(axis, 0));
    if (isfinite(row->low_pct) && isfinite(row->high_pct))
        strbuf_addf(view->out, "<line class=\"range\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"50%%\" y2=\"50%%\"/>",
                    place(axis, row->low_pct), place(axis, row->high_pct));
    if (isfinite(row->change_pct))
        strbuf_addf(view->out,
                    "<svg class=\"at\" x=\"%.2f%%\" y=\"50%%\"><path class=\"mark\" d=\"%s\"/></svg>",
                    place(axis, row->change_pct), marks[row->tone]);
    strbuf_add(view->out, "</svg>");
}

static void add_figure(const struct html_view *view, double key, const char *text) {
    strbuf_add(view->out, "<td class=\"r wide\"");
    if (isfinite(key)) strbuf_addf(view->out, " data-key=\"%.6g\"", key);
    strbuf_add(view->out, ">");
    html_add_text(view->out, text);
    strbuf_add(view->out, "</td>");
}

static void add_figures(const struct html_view *view, const struct html_row *row) {
    struct arena *arena = view->arena;
    const char *metric = view->result->environment.metric;
    if (row->decided) {
        const struct decision_case *decided = row->decided;
        const double speedup = decision_case_speedup(decided);
        add_figure(view, decided->median_base_ns, figure_amount(metric, decided->median_base_ns, arena));
        add_figure(view, decided->median_cand_ns, figure_amount(metric, decided->median_cand_ns, arena));
        add_figure(view, speedup, figure_ratio(speedup, arena));
        return;
    }
    const struct case_summary *figures = &row->item->summaries[row->side];
    const bool is_set = figures->is_set;
    add_figure(view, is_set ? figures->median_ns : NAN,
               is_set ? figure_amount(metric, figures->median_ns, arena) : "");
    add_figure(view, is_set ? figures->p95_ns : NAN,
               is_set ? figure_amount(metric, figures->p95_ns, arena) : "");
    add_figure(view, is_set ? figures->gflop_per_s : NAN,
               is_set ? figure_flop_rate(figures->gflop_per_s, arena) : "");
}

static void add_row(const struct html_view *view, const struct axis *axis, const struct html_row *row) {
    struct strbuf *out = view->out;
    strbuf_addf(out, "<tr data-tone=\"%s\"><th scope=\"row\"><div class=\"who\">", html_tone_name(row->tone));
    strbuf_addf(out, row->has_details ? "<a class=\"name\" href=\"#p%zu\">" : "<span class=\"name\">",
                row->number);
    html_add_text(out, row->name);
    strbuf_add(out, row->has_details ? "</a>" : "</span>");
    html_add_between(out, "<span class=\"side\">", row->label, "</span>");
    if (row->word) html_pill_add(view, row->tone, row->word);
    strbuf_add(out, "</div></th><td class=\"plot\">");
    add_plot(view, axis, row);
    strbuf_add(out, "</td><td class=\"change\"");
    if (isfinite(row->change_pct)) strbuf_addf(out, " data-key=\"%.6g\"", row->change_pct);
    strbuf_add(out, ">");
    html_change_add(view, row);
    strbuf_add(out, "</td>");
    add_figures(view, row);
    strbuf_add(out, "</tr>\n");
}

// ---- the table ----

static void add_titles(const struct html_view *view, const struct axis *axis) {
    const bool is_decided = view->result->decision;
    struct strbuf *out = view->out;
    const char *titles[3] = {"median", "P95", "rate"};
    if (is_decided) {
        titles[0] = report_side_label(view->result, view->options, SIDE_BASELINE, view->arena);
        titles[1] = report_side_label(view->result, view->options, SIDE_CANDIDATE, view->arena);
        titles[2] = "speed-up";
    }
    strbuf_add(out, "<thead><tr><th scope=\"col\">problem</th><th scope=\"col\" class=\"plot\"><span "
                    "class=\"unseen\">plot of the change</span>");
    add_axis(view, axis);
    const char *change = arena_format(view->arena, "change of the %s", html_measured(view));
    strbuf_addf(out, "</th><th scope=\"col\">%s</th>", is_decided ? change : "against the fastest");
    for (size_t i = 0; i < 3; ++i) {
        strbuf_add(out, "<th scope=\"col\" class=\"r wide\">");
        html_add_text(out, titles[i]);
        strbuf_add(out, "</th>");
    }
    strbuf_add(out, "</tr></thead>\n");
}

static void add_key(const struct html_view *view, const struct axis *axis) {
    struct strbuf *out = view->out;
    strbuf_add(out, "<p class=\"dim\">A mark is ");
    if (view->result->decision)
        strbuf_addf(out, "the change of the %s, candidate against baseline, its line the confidence interval",
                    html_measured(view));
    else
        strbuf_add(out, "the median time above the fastest valid one of its problem, its line the 95 % "
                        "confidence interval");
    if (isfinite(axis->slower) || isfinite(axis->faster)) strbuf_add(out, "; dashed: the thresholds");
    if (isfinite(axis->slower)) strbuf_addf(out, ", %g %% slower", axis->slower);
    if (isfinite(axis->faster)) strbuf_addf(out, ", %g %% faster", -axis->faster);
    strbuf_addf(out, ".%s The axis is logarithmic.</p>\n",
                view->result->decision ? " The worst stand first." : "");
}

void html_overview_add(const struct html_view *view) {
    const struct axis axis = axis_of(view);
    struct strbuf *out = view->out;
    add_key(view, &axis);
    strbuf_add(out, "<form class=\"tools\" id=\"tools\" hidden=\"\"><label>Find <input type=\"search\" "
                    "id=\"find\" autocomplete=\"off\"/></label> <label>Show <select id=\"tone\"><option "
                    "value=\"\">all</option><option value=\"bad\">worse or wrong</option><option "
                    "value=\"unsure\">undecided</option><option value=\"good\">improved</option><option "
                    "value=\"held neutral\">the others</option></select></label> <span id=\"shown\" "
                    "role=\"status\"></span></form>\n<table class=\"overview\" id=\"overview\"><caption "
                    "class=\"unseen\">All problems</caption>\n");
    add_titles(view, &axis);
    strbuf_add(out, "<tbody>\n");
    for (size_t i = 0; i < view->row_count; ++i) add_row(view, &axis, &view->rows[i]);
    strbuf_add(out, "</tbody></table>\n");
}
