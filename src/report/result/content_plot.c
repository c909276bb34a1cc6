// SPDX-License-Identifier: Apache-2.0
//
// The changes of all problems on one axis, in characters: what the forest plot of the page shows, for readers
// of a comment. The axis is logarithmic in the ratio of the times.
#include <math.h>
#include <string.h>

#include "report/result/figure_text.h"
#include "report/result/report_parts.h"

#define PLOT_COLUMNS 49    // odd: no change may stand in the middle
#define PCT_MOST     300.0 // changes beyond are drawn at the edge
#define NAME_COLUMNS 24

struct plot {
    double low, high;              // of the axis, ln of the ratio
    double slower_pct, faster_pct; // thresholds; NAN: none
};

static double log_ratio(double pct) {
    return log1p(fmin(fmax(pct, -PCT_MOST / 4), PCT_MOST) / 100);
}

static void widen(struct plot *plot, double pct) {
    if (!isfinite(pct)) return;
    plot->low = fmin(plot->low, log_ratio(pct));
    plot->high = fmax(plot->high, log_ratio(pct));
}

static struct plot plot_of(const struct decision *decision) {
    struct plot plot = {.low = -0.01, .high = 0.01, .slower_pct = NAN, .faster_pct = NAN};
    if (decision->regression_pct > 0) plot.slower_pct = decision->regression_pct;
    if (decision->improvement_pct > 0) plot.faster_pct = -decision->improvement_pct;
    widen(&plot, plot.slower_pct);
    widen(&plot, plot.faster_pct);
    for (size_t i = 0; i < decision->case_count; ++i) {
        widen(&plot, decision->cases[i].change_pct);
        widen(&plot, decision->cases[i].change_low_pct);
        widen(&plot, decision->cases[i].change_high_pct);
    }
    return plot;
}

static size_t column_of(const struct plot *plot, double pct) {
    const double share = (log_ratio(pct) - plot->low) / (plot->high - plot->low);
    return (size_t)lround(fmin(fmax(share, 0), 1) * (PLOT_COLUMNS - 1));
}

// Thresholds and no change, on which the rows are drawn.
static void draw_rules(const struct plot *plot, char *line) {
    memset(line, ' ', PLOT_COLUMNS);
    line[PLOT_COLUMNS] = 0;
    if (isfinite(plot->slower_pct)) line[column_of(plot, plot->slower_pct)] = ':';
    if (isfinite(plot->faster_pct)) line[column_of(plot, plot->faster_pct)] = ':';
    line[column_of(plot, 0)] = '|';
}

static void draw_case(const struct plot *plot, const struct decision_case *item, char *line) {
    draw_rules(plot, line);
    if (isfinite(item->change_low_pct) && isfinite(item->change_high_pct))
        for (size_t c = column_of(plot, item->change_low_pct); c <= column_of(plot, item->change_high_pct);
             ++c)
            line[c] = '-';
    line[column_of(plot, item->change_pct)] = item->verdict == VERDICT_REGRESSION ? '#' : 'o';
}

static void add_axis(const struct decision *decision, struct report_blocks *blocks,
                     struct report_block *block) {
    const bool has_both = decision->regression_pct > 0 && decision->improvement_pct > 0;
    report_item_addf(blocks, block, "%*s  faster <- | -> slower%s", NAME_COLUMNS, "",
                     has_both ? arena_format(blocks->arena, "; ':' %g %% faster and %g %% slower",
                                             decision->improvement_pct, decision->regression_pct)
                              : "");
}

void report_content_plot(const struct decision *decision, struct report_blocks *blocks) {
    const struct plot plot = plot_of(decision);
    struct report_block *block = report_block_add(blocks, REPORT_LINES, "Changes and their intervals");
    char line[PLOT_COLUMNS + 1];
    size_t count = 0;
    block->is_folded = true;
    for (size_t i = 0; i < decision->case_count; ++i)
        count += isfinite(decision->cases[i].change_pct) ? 1 : 0;
    if (count) add_axis(decision, blocks, block);
    for (size_t i = 0; i < decision->case_count; ++i) {
        const struct decision_case *item = &decision->cases[i];
        if (!isfinite(item->change_pct)) continue;
        draw_case(&plot, item, line);
        report_item_addf(blocks, block, "%-*.*s  %s %s", NAME_COLUMNS, NAME_COLUMNS, decision_case_name(item),
                         line, figure_signed_pct(item->change_pct, blocks->arena));
    }
    report_block_drop_empty(blocks, block);
}
