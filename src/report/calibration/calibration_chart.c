// SPDX-License-Identifier: Apache-2.0
//
// Power of a gate as a plot in characters: true change (0 to 10 %) to the right, share of gates that call it
// a regression (0 to 100 %) upwards, the threshold as a dotted line. One curve a problem of the summary.
#include <math.h>

#include "base/strbuf.h"
#include "report/calibration/calibration_report.h"
#include "report/canvas.h"

#define CHART_ROWS    11 // 0, 10, ... 100 %
#define CHART_COLUMNS CALIBRATION_CURVE_COUNT
#define NAME_BYTES    12 // of a problem in the legend, which stays below 100 columns
#define TICK_COLUMNS  10 // 2 % of true change

static const char *const curve_signs[] = {"o", "#"}; // of the views in their order
static const char both_sign[] = "@", threshold_sign[] = ":";

// A steep curve skips rows between two columns; filling them keeps it one line.
static void draw_curve(struct canvas *canvas, const struct calibration_view *view, const char *sign) {
    size_t before = 0;
    for (size_t i = 0; i < CHART_COLUMNS; ++i) {
        const size_t row = (size_t)lround((1 - view->curve[i].regression) * (CHART_ROWS - 1));
        for (size_t at = row; at == row || at < before; ++at) {
            const char *there = canvas_sign_at(canvas, i, at);
            const bool is_taken = there && there != threshold_sign && there != sign;
            canvas_sign(canvas, i, at, is_taken ? both_sign : sign, TERM_PLAIN, true);
        }
        before = row;
    }
}

// "o  p9, median spread 8.52 %    #  p3, largest 11.24 %    @  both    :  threshold 3 %"
static void add_legend(const struct calibration_summary *summary, struct strbuf *text) {
    for (size_t i = 0; i < summary->view_count; ++i) {
        const struct calibration_pooled *problem = summary->views[i].problem;
        const char *which = summary->view_count < 2 ? "spread" : i == 0 ? "median spread" : "largest";
        const char *name = str_or(problem->short_name, problem->name);
        size_t shown = str_fitting(name, NAME_BYTES);
        strbuf_addf(text, "%s  %.*s%s, %s %.2f %%    ", curve_signs[i], (int)shown, name,
                    name[shown] ? "..." : "", which, problem->spread_pct);
    }
    if (summary->view_count > 1) strbuf_addf(text, "%s  both    ", both_sign);
    strbuf_addf(text, "%s  threshold %g %%\n", threshold_sign, summary->threshold_pct);
}

void calibration_chart_add(const struct calibration_summary *summary, struct report_blocks *blocks) {
    struct report_block *block = report_block_add(
        blocks, REPORT_LINES,
        arena_format(blocks->arena, "Power: gates of up to %d rounds that call a true change a regression",
                     CALIBRATION_ROUNDS));
    struct canvas canvas = canvas_make(CHART_COLUMNS, CHART_ROWS, false, blocks->arena);
    const double threshold_column = round(summary->threshold_pct / CALIBRATION_CURVE_STEP);
    struct strbuf text = {0};
    for (size_t row = 0; row < CHART_ROWS && threshold_column < CHART_COLUMNS; ++row)
        canvas_sign(&canvas, (size_t)threshold_column, row, threshold_sign, TERM_PLAIN, true);
    for (size_t i = 0; i < summary->view_count; ++i) draw_curve(&canvas, &summary->views[i], curve_signs[i]);
    for (size_t row = 0; row < CHART_ROWS; ++row) {
        if (row % 2 == 0)
            strbuf_addf(&text, "%4zu %% |", 100 - 10 * row);
        else
            strbuf_add(&text, "       |");
        canvas_print_row(&canvas, row, false, &text);
        strbuf_add_char(&text, '\n');
    }
    strbuf_add(&text, "       +");
    for (size_t i = 1; i < CHART_COLUMNS; ++i) strbuf_add_char(&text, i % TICK_COLUMNS ? '-' : '+');
    strbuf_add_char(&text, '\n');
    for (size_t i = 0; i < CHART_COLUMNS; i += TICK_COLUMNS) {
        strbuf_pad(&text, i + 7);
        strbuf_addf(&text, "%g %%", CALIBRATION_CURVE_STEP * (double)i);
    }
    strbuf_add(&text, "  true change\n");
    add_legend(summary, &text);
    report_lines_add(blocks, block, strbuf_text(&text));
    strbuf_fini(&text);
}
