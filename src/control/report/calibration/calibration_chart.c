// SPDX-License-Identifier: Apache-2.0
//
// How often does a gate call a true change a regression? A plot in characters: 0 to 10 % to the right, 0 to
// 100 % of the gates upwards, the threshold as a dotted line. One curve a problem of the summary.
#include <math.h>
#include <string.h>

#include "base/strbuf.h"
#include "control/report/calibration/calibration_report.h"

#define CHART_ROWS    11 // 0, 10, ... 100 %
#define CHART_COLUMNS CALIBRATION_CURVE_COUNT
#define NAME_BYTES    12 // of a problem in the legend, which stays below 100 columns
#define TICK_COLUMNS  10 // 2 % of true change

static const char curve_signs[] = {'o', '#'}; // of the views in their order
#define BOTH_SIGN '@'

struct chart {
    char cells[CHART_ROWS][CHART_COLUMNS + 1]; // row 0 is the top
};

static size_t row_of(double share) {
    return (size_t)lround((1 - share) * (CHART_ROWS - 1));
}

static void put(struct chart *chart, size_t row, size_t column, char sign) {
    char *cell = &chart->cells[row][column];
    bool is_taken = *cell != ' ' && *cell != ':' && *cell != sign;
    *cell = is_taken ? BOTH_SIGN : sign;
}

// A steep curve passes rows between two columns: they are filled, so that it stays one line.
static void draw_curve(struct chart *chart, const struct calibration_view *view, char sign) {
    size_t before = row_of(view->curve[0].regression);
    for (size_t i = 0; i < CHART_COLUMNS; ++i) {
        size_t row = row_of(view->curve[i].regression);
        for (size_t between = row + 1; between < before; ++between) put(chart, between, i, sign);
        put(chart, row, i, sign);
        before = row;
    }
}

static void draw_threshold(struct chart *chart, double threshold_pct) {
    double column = threshold_pct / CALIBRATION_CURVE_STEP;
    if (!(column < CHART_COLUMNS)) return;
    for (size_t row = 0; row < CHART_ROWS; ++row) chart->cells[row][lround(column)] = ':';
}

static void trim(struct strbuf *line) {
    while (line->length && line->text[line->length - 1] == ' ') line->text[--line->length] = 0;
}

static void add_line(struct report_blocks *blocks, struct report_block *block, struct strbuf *line) {
    trim(line);
    report_item_add(blocks, block, arena_strdup(blocks->arena, strbuf_text(line)));
    strbuf_clear(line);
}

static void add_axis(struct report_blocks *blocks, struct report_block *block, struct strbuf *line) {
    strbuf_add(line, "       +");
    for (size_t i = 1; i < CHART_COLUMNS; ++i) strbuf_add_char(line, i % TICK_COLUMNS ? '-' : '+');
    add_line(blocks, block, line);
    for (size_t i = 0; i < CHART_COLUMNS; i += TICK_COLUMNS) {
        strbuf_pad(line, i + 7);
        strbuf_addf(line, "%g %%", CALIBRATION_CURVE_STEP * (double)i);
    }
    strbuf_add(line, "  true change");
    add_line(blocks, block, line);
}

// "o  p9, median spread 8.52 %    #  p3, largest 11.24 %    @  both    :  threshold 3 %"
static const char *legend_of(const struct calibration_summary *summary, struct arena *arena) {
    struct strbuf text = {0};
    for (size_t i = 0; i < summary->view_count; ++i) {
        const struct calibration_pooled *problem = summary->views[i].problem;
        const char *which = summary->view_count < 2 ? "spread" : i == 0 ? "median spread" : "largest";
        const char *name = str_or(problem->short_name, problem->name);
        size_t shown = str_fitting(name, NAME_BYTES);
        strbuf_addf(&text, "%c  %.*s%s, %s %.2f %%    ", curve_signs[i], (int)shown, name,
                    name[shown] ? "..." : "", which, problem->spread_pct);
    }
    if (summary->view_count > 1) strbuf_addf(&text, "%c  both    ", BOTH_SIGN);
    strbuf_addf(&text, ":  threshold %g %%", summary->threshold_pct);
    const char *legend = arena_strdup(arena, strbuf_text(&text));
    strbuf_fini(&text);
    return legend;
}

void calibration_chart_add(const struct calibration_summary *summary, struct report_blocks *blocks) {
    struct report_block *block = report_block_add(
        blocks, REPORT_LINES,
        arena_format(blocks->arena, "Power: gates of up to %d rounds that call a true change a regression",
                     CALIBRATION_ROUNDS));
    struct chart chart;
    struct strbuf line = {0};
    for (size_t row = 0; row < CHART_ROWS; ++row) {
        memset(chart.cells[row], ' ', CHART_COLUMNS);
        chart.cells[row][CHART_COLUMNS] = 0;
    }
    draw_threshold(&chart, summary->threshold_pct);
    for (size_t i = 0; i < summary->view_count; ++i) draw_curve(&chart, &summary->views[i], curve_signs[i]);
    for (size_t row = 0; row < CHART_ROWS; ++row) {
        size_t pct = 100 - 10 * row;
        if (row % 2 == 0)
            strbuf_addf(&line, "%4zu %% |%s", pct, chart.cells[row]);
        else
            strbuf_addf(&line, "       |%s", chart.cells[row]);
        add_line(blocks, block, &line);
    }
    add_axis(blocks, block, &line);
    strbuf_fini(&line);
    report_item_add(blocks, block, legend_of(summary, blocks->arena));
}
