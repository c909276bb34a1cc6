// SPDX-License-Identifier: Apache-2.0
//
// The roofline in characters, and its figures in two tables: points and ceilings.
#include <math.h>
#include <stdio.h>

#include "base/term.h"
#include "report/canvas.h"
#include "report/roofline/roofline_axes_internal.h"
#include "report/roofline/roofline_report.h"

enum { PLOT_ROWS = 18, PLOT_COLUMNS_MIN = 40, PLOT_COLUMNS_MAX = 100, LABEL_COLUMNS = 9, CELL_BYTES = 64 };

// Signs of points, in their order; those after the last share it.
static const char *const signs[] = {"1", "2", "3", "4", "5", "6", "7", "8", "9", "a", "b", "c",
                                    "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o",
                                    "p", "q", "r", "s", "t", "u", "v", "w", "x", "y", "z", "#"};
static const char several_sign[] = "*", ridge_sign[] = "+";

static const char *sign_of(size_t point) {
    const size_t last = sizeof signs / sizeof *signs - 1;
    return signs[point < last ? point : last];
}

struct plot {
    const struct roofline *roofline;
    struct roofline_axes axes;
    struct canvas canvas;
};

// ---- the plot ----

// In dots; false: outside.
static bool dot_of(const struct plot *plot, double flop_per_byte, double gflop_per_s, size_t *ret_x,
                   size_t *ret_y) {
    const struct canvas *canvas = &plot->canvas;
    const double columns = (double)(canvas->width * canvas->cell_columns - 1);
    const double rows = (double)(canvas->height * canvas->cell_rows - 1);
    const double x = roofline_axis_place(&plot->axes.x, flop_per_byte) * columns;
    const double y =
        (1 - roofline_axis_place(&plot->axes.y, gflop_per_s / plot->axes.unit_gflop_per_s)) * rows;
    if (!(x > -0.5 && x < columns + 0.5 && y > -0.5 && y < rows + 0.5)) return false;
    *ret_x = (size_t)fmax(round(x), 0);
    *ret_y = (size_t)fmax(round(y), 0);
    return true;
}

static void draw_roof(struct plot *plot, const struct roof *roof) {
    const struct roofline_axis *axis = &plot->axes.x;
    const size_t columns = plot->canvas.width * plot->canvas.cell_columns;
    const double begin = roofline_rate_begin(plot->roofline, roof);
    const double highest = roofline_highest_rate(plot->roofline);
    for (size_t i = 0; i < columns; ++i) {
        const double at = axis->low * pow(axis->high / axis->low, (double)i / (double)(columns - 1));
        const double value = roof->is_bandwidth ? roof->value * at : roof->value;
        size_t x, y;
        if (roof->is_bandwidth ? value > highest : at < begin) continue;
        if (dot_of(plot, at, value, &x, &y)) canvas_dot(&plot->canvas, x, y, TERM_CYAN);
    }
    for (int level = 0; level < LEVEL_COUNT; ++level) {
        size_t x, y;
        const double ridge = roofline_ridge(plot->roofline, roof, (enum memory_level)level);
        if (!isfinite(ridge) || !dot_of(plot, ridge, roof->value, &x, &y)) continue;
        canvas_sign(&plot->canvas, x / plot->canvas.cell_columns, y / plot->canvas.cell_rows, ridge_sign,
                    TERM_CYAN, true);
    }
}

static void draw_point(struct plot *plot, size_t index, bool is_refused) {
    const struct roofline_point *point = &plot->roofline->points[index];
    for (int level = 0; level < LEVEL_COUNT; ++level) {
        size_t x, y;
        if (!roofline_draws_point(point, (enum memory_level)level) ||
            !dot_of(plot, point->flop_per_byte[level], point->gflop_per_s, &x, &y))
            continue;
        const size_t column = x / plot->canvas.cell_columns, row = y / plot->canvas.cell_rows;
        const char *there = canvas_sign_at(&plot->canvas, column, row);
        const bool is_taken = there && there != ridge_sign && there != sign_of(index);
        canvas_sign(&plot->canvas, column, row, is_taken ? several_sign : sign_of(index),
                    is_refused ? TERM_RED : TERM_BOLD, true);
    }
}

// The tick that this row's label names, if any: the lowest that lies in it.
static bool tick_in_row(const struct plot *plot, size_t row, double *ret) {
    const struct roofline_axis *axis = &plot->axes.y;
    const double rows = (double)(plot->canvas.height - 1);
    for (double tick = roofline_axis_tick(axis, axis->low); tick <= axis->high * 1.001;
         tick = roofline_axis_tick(axis, tick * 1.001)) {
        if ((size_t)lround((1 - roofline_axis_place(axis, tick)) * rows) != row) continue;
        *ret = tick;
        return true;
    }
    return false;
}

static void add_rows(const struct plot *plot, bool has_color, struct strbuf *out) {
    for (size_t row = 0; row < plot->canvas.height; ++row) {
        double tick;
        if (tick_in_row(plot, row, &tick))
            strbuf_addf(out, "%*.6g |", LABEL_COLUMNS - 2, tick);
        else
            strbuf_addf(out, "%*s|", LABEL_COLUMNS - 1, "");
        canvas_print_row(&plot->canvas, row, has_color, out);
        strbuf_add_char(out, '\n');
    }
}

// The line below the plot, and its labels as far as they have room.
static void add_x_axis(const struct plot *plot, struct strbuf *out) {
    const struct roofline_axis *axis = &plot->axes.x;
    const size_t width = plot->canvas.width;
    struct strbuf line = {0}, labels = {0};
    size_t free_from = 0;
    for (size_t i = 0; i < width; ++i) strbuf_add_char(&line, '-');
    for (double tick = roofline_axis_tick(axis, axis->low); tick <= axis->high * 1.001;
         tick = roofline_axis_tick(axis, tick * 1.001)) {
        char text[CELL_BYTES];
        const size_t column = (size_t)lround(roofline_axis_place(axis, tick) * (double)(width - 1));
        const size_t length = (size_t)snprintf(text, sizeof text, "%.6g", tick);
        line.text[column] = '+';
        if (column < free_from || column + length > width + 2) continue;
        strbuf_pad(&labels, column);
        strbuf_add(&labels, text);
        free_from = column + length + 1;
    }
    strbuf_addf(out, "%*s+%s\n%*s %s  FLOP/byte\n", LABEL_COLUMNS - 1, "", line.text, LABEL_COLUMNS - 1, "",
                strbuf_text(&labels));
    strbuf_fini(&line);
    strbuf_fini(&labels);
}

static void add_plot(const struct roofline *roofline, const struct roofline_place *places,
                     const struct roofline_text_options *options, struct arena *arena, struct strbuf *out) {
    struct plot plot = {.roofline = roofline, .axes = roofline_axes_make(roofline)};
    size_t width = options->width > LABEL_COLUMNS + PLOT_COLUMNS_MIN ? options->width - LABEL_COLUMNS - 1
                                                                     : PLOT_COLUMNS_MIN;
    if (!(plot.axes.x.low > 0)) return;
    if (width > PLOT_COLUMNS_MAX) width = PLOT_COLUMNS_MAX;
    plot.canvas = canvas_make(width, PLOT_ROWS, options->has_utf8, arena);
    for (size_t i = 0; i < roofline->roof_count; ++i)
        if (roofline_draws_roof(roofline, &roofline->roofs[i])) draw_roof(&plot, &roofline->roofs[i]);
    for (size_t i = 0; i < roofline->point_count; ++i)
        draw_point(&plot, i, places[i].diagnosis.bottleneck == BOTTLENECK_ACCOUNTING_ERROR);
    strbuf_addf(out, "%*s\n", LABEL_COLUMNS - 2, plot.axes.unit);
    add_rows(&plot, options->has_color, out);
    add_x_axis(&plot, out);
    strbuf_addf(out, "%*s digits and letters: points as listed; %s several; %s a ridge point\n\n",
                LABEL_COLUMNS - 1, "", several_sign, ridge_sign);
}

// ---- the tables ----

static void add_points(const struct roofline *roofline, const struct roofline_place *places, bool has_color,
                       struct strbuf *out) {
    struct term_table *table = term_table_new(9, "lllrrrrll");
    term_table_add(table, (const char *[]){"", "problem", "kernel", "FLOP/byte", "at L2", "rate", "of roof",
                                           "bytes", "bottleneck"});
    term_table_head(table);
    for (size_t i = 0; i < roofline->point_count; ++i) {
        const struct roofline_point *point = &roofline->points[i];
        const enum bottleneck bottleneck = places[i].diagnosis.bottleneck;
        char dram[CELL_BYTES], l2[CELL_BYTES], rate[CELL_BYTES], share[CELL_BYTES] = "";
        intensity_format(point->flop_per_byte[LEVEL_DRAM], dram, sizeof dram);
        intensity_format(point->flop_per_byte[LEVEL_L2], l2, sizeof l2);
        if (isfinite(places[i].efficiency_pct))
            snprintf(share, sizeof share, "%.0f %%", places[i].efficiency_pct);
        term_format_rate(point->gflop_per_s, "FLOP/s", rate, sizeof rate);
        term_table_add(table, (const char *[]){sign_of(i), point->problem, point->kernel, dram, l2, rate,
                                               share, point->profile ? "counted" : "modelled",
                                               bottleneck_name(bottleneck)});
        if (bottleneck == BOTTLENECK_ACCOUNTING_ERROR) term_table_style(table, 8, TERM_RED);
    }
    term_table_print(table, has_color, out);
    term_table_free(table);
}

static void add_roofs(const struct roofline *roofline, bool has_color, struct strbuf *out) {
    struct term_table *table = term_table_new(4, "lrrl");
    term_table_add(table, (const char *[]){"ceiling", "measured as", "ridge point", "on"});
    term_table_head(table);
    for (size_t i = 0; i < roofline->roof_count; ++i) {
        const struct roof *roof = &roofline->roofs[i];
        char value[CELL_BYTES], at[CELL_BYTES], ridge[CELL_BYTES] = "";
        if (!(roof->value > 0)) continue;
        term_format_rate(roof->value, roof->is_bandwidth ? "B/s" : "FLOP/s", value, sizeof value);
        intensity_format(roofline_ridge(roofline, roof, LEVEL_DRAM), at, sizeof at);
        if (*at) snprintf(ridge, sizeof ridge, "%.20s FLOP/byte", at);
        term_table_add(table,
                       (const char *[]){roof->name, value, ridge, str_or(roof->measured, "not known")});
    }
    strbuf_add_char(out, '\n');
    term_table_print(table, has_color, out);
    term_table_free(table);
}

// What cannot be true, each with its suspects.
static void add_refused(const struct roofline *roofline, const struct roofline_place *places,
                        struct strbuf *out) {
    for (size_t i = 0; i < roofline->point_count; ++i) {
        const struct diagnosis *d = &places[i].diagnosis;
        if (d->bottleneck != BOTTLENECK_ACCOUNTING_ERROR) continue;
        strbuf_add_char(out, '\n');
        strbuf_add_linef(out, "accounting error: %s: %s", str_or(roofline->points[i].problem, ""),
                         d->because);
        for (size_t k = 0; k < d->note_count; ++k) strbuf_add_linef(out, "  %s", d->notes[k]);
    }
}

void roofline_text(const struct roofline *roofline, const struct roofline_text_options *options,
                   struct strbuf *out) {
    struct arena arena = {0};
    struct roofline_place *places = arena_array(&arena, roofline->point_count + 1, sizeof *places);
    bool lacks_roof = false;
    for (size_t i = 0; i < roofline->point_count; ++i) {
        places[i] = roofline_place(roofline, &roofline->points[i], &arena);
        lacks_roof =
            lacks_roof || (!places[i].roof && places[i].diagnosis.bottleneck != BOTTLENECK_ACCOUNTING_ERROR);
    }
    strbuf_add_linef(out, "Roofline of %s", str_or(roofline->device, "a device that is not known"));
    strbuf_add_char(out, '\n');
    add_plot(roofline, places, options, &arena, out);
    add_points(roofline, places, options->has_color, out);
    if (roofline->roof_count) add_roofs(roofline, options->has_color, out);
    if (lacks_roof) strbuf_addf(out, "\nnote: " ROOFLINE_NO_CEILINGS "\n");
    add_refused(roofline, places, out);
    arena_fini(&arena);
}
