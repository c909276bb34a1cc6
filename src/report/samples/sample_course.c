// SPDX-License-Identifier: Apache-2.0
//
// The course of the times: one dot a sample, in order of measurement from left to right, with gaps between
// rounds. If a column of dots would hold more than a few samples, it shows their minimum, median and maximum.
// Below: the samples that do not count, by the first letter of their reason, and the number of each.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/comma.h"
#include "base/mem.h"
#include "base/term.h"
#include "report/canvas.h"
#include "report/result/figure_text.h"
#include "report/samples/sample_internal.h"
#include "stats/float_order.h"

#define COURSE_ROWS    8
#define COLUMN_MAX     3   // samples in a column of dots; more are drawn as minimum, median and maximum
#define CELLS_A_SAMPLE 2   // widest spacing, for few samples
#define INVALID_LETTER 'x' // of a round that is not valid
#define MIXED_LETTER   '*'

struct course {
    const struct sample_set *set;
    const struct sample_axis *axis;
    const struct sample_report_options *options;
    struct arena *arena;
    struct canvas canvas;
    char *letters;                // for each cell column, why samples there do not count; ' ': none
    double *scratch;              // times of one column of dots; set->taken_count
    size_t *starts;               // first cell column of each of the item's rounds
    size_t *lengths;              // cell columns of each; 0: no samples of this side
    size_t width;                 // width of the canvas
    bool is_joined;               // too many rounds to keep apart
    bool is_collapsed, is_sparse; // columns hold many samples; each sample has cells of its own
};

static const struct samples *samples_of(const struct course *course, size_t round) {
    return &course->set->item->rounds[round].samples[course->set->side];
}

// Every round gets one cell, a part of the remaining cells by its number of samples, and a cell that
// separates it from the next round.
static void lay_out(struct course *course, size_t width_max) {
    const struct sample_set *set = course->set;
    size_t rounds = 0, at = 0;
    for (size_t r = 0; r < set->item->round_count; ++r) rounds += samples_of(course, r)->count > 0;
    size_t wanted = CELLS_A_SAMPLE * set->taken_count + rounds;
    if (3 * rounds > width_max) {
        course->is_joined = course->is_collapsed = true;
        course->width = width_max;
        return;
    }
    course->is_sparse = wanted <= width_max;
    if (wanted > width_max) wanted = width_max;
    size_t shared = wanted - 2 * rounds;
    for (size_t r = 0; r < set->item->round_count; ++r) {
        size_t count = samples_of(course, r)->count;
        if (count == 0) continue;
        course->starts[r] = at;
        course->lengths[r] = 1 + (size_t)((double)shared * (double)count / (double)set->taken_count);
        at += course->lengths[r] + 1;
        size_t dots = course->lengths[r] * (course->options->has_utf8 ? 2 : 1);
        if (count > COLUMN_MAX * dots) course->is_collapsed = true;
    }
    course->width = at - 1;
}

// The column of dots for the i-th sample of a round; before: number of samples in earlier rounds.
static size_t dot_column(const struct course *course, size_t round, size_t i, size_t before) {
    size_t columns = course->canvas.cell_columns;
    if (course->is_joined)
        return (size_t)((double)(before + i) * (double)(course->width * columns) /
                        (double)course->set->taken_count);
    size_t count = samples_of(course, round)->count, dots = course->lengths[round] * columns;
    // A round with few samples: each in the middle of its part of the round's columns.
    double at = ((double)i + (count < dots ? 0.5 : 0)) * (double)dots / (double)count;
    return course->starts[round] * columns + (size_t)at;
}

static size_t dot_row(const struct course *course, double ns) {
    const struct sample_axis *axis = course->axis;
    size_t rows = COURSE_ROWS * course->canvas.cell_rows;
    double range = axis->high_ns - axis->low_ns;
    if (!(range > 0)) return rows / 2;
    double share = fmin(fmax((axis->high_ns - ns) / range, 0), 1);
    return (size_t)llround(share * (double)(rows - 1));
}

static void draw(struct course *course, size_t x, double ns, enum term_style style) {
    int side = sample_axis_side(course->axis, ns);
    bool has_utf8 = course->options->has_utf8;
    size_t column = x / course->canvas.cell_columns;
    if (side > 0)
        canvas_sign(&course->canvas, column, 0, has_utf8 ? "▲" : "^", TERM_YELLOW, true);
    else if (side < 0)
        canvas_sign(&course->canvas, column, COURSE_ROWS - 1, has_utf8 ? "▼" : "v", TERM_YELLOW, true);
    else
        canvas_dot(&course->canvas, x, dot_row(course, ns), style);
}

// Draws one column of dots: the `count` times in course->scratch.
static void draw_column(struct course *course, size_t x, size_t count) {
    if (count == 0) return;
    if (!course->is_collapsed) {
        // A sample with cells of its own is as wide as a cell.
        const size_t columns = course->is_sparse ? course->canvas.cell_columns : 1;
        for (size_t i = 0; i < count; ++i)
            for (size_t dx = 0; dx < columns; ++dx)
                draw(course, x / columns * columns + dx, course->scratch[i], TERM_PLAIN);
        return;
    }
    float_order_sort(course->scratch, count);
    draw(course, x, course->scratch[0], TERM_DIM);
    draw(course, x, course->scratch[count - 1], TERM_DIM);
    draw(course, x, describe_median(course->scratch, count), TERM_CYAN);
}

static void draw_all(struct course *course) {
    size_t before = 0, pending = 0, pending_x = 0;
    for (size_t r = 0; r < course->set->item->round_count; ++r) {
        const struct result_round *round = &course->set->item->rounds[r];
        const struct samples *samples = samples_of(course, r);
        for (size_t i = 0; i < samples->count; ++i) {
            const struct sample *sample = &samples->items[i];
            double ns = sample_time_ns(sample);
            size_t x = dot_column(course, r, i, before);
            if (x != pending_x) {
                draw_column(course, pending_x, pending);
                pending = 0;
                pending_x = x;
            }
            if (round->is_valid && sample->discard == DISCARD_NONE) {
                course->scratch[pending++] = ns;
                continue;
            }
            const char letter = round->is_valid ? discard_name(sample->discard)[0] : INVALID_LETTER;
            const size_t column = x / course->canvas.cell_columns;
            char *shown = &course->letters[column];
            *shown = *shown == ' ' || *shown == letter ? letter : MIXED_LETTER;
            canvas_sign(&course->canvas, column, dot_row(course, ns) / course->canvas.cell_rows,
                        course->options->has_utf8 ? "×" : "x", TERM_RED, false);
        }
        before += samples->count;
    }
    draw_column(course, pending_x, pending);
    for (size_t r = 0; r < course->set->item->round_count; ++r) // lines between the rounds
        for (size_t row = 0; row < COURSE_ROWS && course->lengths[r] && course->starts[r]; ++row)
            canvas_sign(&course->canvas, course->starts[r] - 1, row, course->options->has_utf8 ? "┊" : "|",
                        TERM_DIM, true);
}

static const char *label_text(const struct course *course, double ns) {
    const struct sample_axis *axis = course->axis;
    double step_ns = axis->step_ns > 0 ? axis->step_ns / 2 : axis->high_ns / 1000;
    return figure_time_like(ns, axis->high_ns, step_ns, course->arena);
}

static void print_rows(struct course *course, size_t label_width, struct strbuf *out) {
    const struct sample_axis *axis = course->axis;
    bool has_color = course->options->has_color, has_range = axis->high_ns > axis->low_ns;
    double median_ns = course->set->n ? course->set->summary.figures.median_ns : NAN;
    size_t median_row =
        isfinite(median_ns) ? dot_row(course, median_ns) / course->canvas.cell_rows : COURSE_ROWS;
    for (size_t row = 0; row < COURSE_ROWS; ++row) {
        const char *label = "";
        bool is_median = row == median_row;
        if (is_median) label = label_text(course, median_ns);
        if (has_range && !is_median && row == 0) label = label_text(course, axis->high_ns);
        if (has_range && !is_median && row == COURSE_ROWS - 1) label = label_text(course, axis->low_ns);
        for (size_t i = strlen(label); i < label_width + 2; ++i) strbuf_add_char(out, ' ');
        term_add(out, has_color, is_median ? TERM_BOLD : TERM_DIM, label);
        const char *edge = course->options->has_utf8 ? (*label ? " ┤" : " │") : *label ? " +" : " |";
        term_add(out, has_color, TERM_DIM, edge);
        canvas_print_row(&course->canvas, row, has_color, out);
        strbuf_add_char(out, '\n');
    }
}

// Numbers of the rounds below their first column, where there is room.
static void print_round_numbers(const struct course *course, size_t indent, struct strbuf *out) {
    struct strbuf line = {0};
    size_t count = 0;
    for (size_t r = 0; r < course->set->item->round_count; ++r) {
        if (course->lengths[r] == 0) continue;
        const char *number = arena_format(course->arena, "%u", course->set->item->rounds[r].round);
        ++count;
        if (line.length && course->starts[r] <= line.length) continue;
        strbuf_pad(&line, course->starts[r]);
        strbuf_add(&line, number);
    }
    if (count > 1) strbuf_addf(out, "%*s%s  (round)\n", (int)indent, "", strbuf_text(&line));
    strbuf_fini(&line);
}

static void print_discards(const struct course *course, size_t indent, struct strbuf *out) {
    const struct sample_set *set = course->set;
    struct strbuf legend = {0};
    for (int i = DISCARD_NONE + 1; i < DISCARD_COUNT; ++i) {
        const char *name = discard_name((enum discard)i);
        if (set->discarded_counts[i])
            comma_addf(&legend, "%c %s %zu", name[0], name, set->discarded_counts[i]);
    }
    if (set->invalid_count)
        comma_addf(&legend, "%c in rounds that are not valid %zu", INVALID_LETTER, set->invalid_count);
    if (legend.length) {
        size_t last = course->width;
        while (last > 0 && course->letters[last - 1] == ' ') --last;
        bool is_mixed = memchr(course->letters, MIXED_LETTER, course->width) != NULL;
        strbuf_addf(out, "%*s", (int)indent, "");
        course->letters[last] = 0;
        term_add(out, course->options->has_color, TERM_RED, course->letters);
        strbuf_addf(out, "\n  discarded: %s%s\n", strbuf_text(&legend),
                    is_mixed ? " (* several reasons)" : "");
    }
    strbuf_fini(&legend);
}

int sample_course_print(const struct sample_set *set, const struct sample_axis *axis,
                        const struct sample_report_options *options, struct strbuf *out) {
    struct arena arena = {0};
    struct course course = {.set = set, .axis = axis, .options = options, .arena = &arena};
    if (set->taken_count == 0) return 0;
    course.scratch = mem_try_array(set->taken_count, sizeof *course.scratch);
    if (!course.scratch) return -1;
    size_t low = strlen(label_text(&course, axis->low_ns)), high = strlen(label_text(&course, axis->high_ns));
    size_t median = set->n ? strlen(label_text(&course, set->summary.figures.median_ns)) : 0;
    size_t label_width = low > high ? low : high;
    if (median > label_width) label_width = median;
    size_t indent = 2 + label_width + 2, width_max = options->width - indent;
    course.starts = arena_array(&arena, set->item->round_count, sizeof *course.starts);
    course.lengths = arena_array(&arena, set->item->round_count, sizeof *course.lengths);
    course.letters = arena_array(&arena, width_max + 1, 1);
    lay_out(&course, width_max);
    course.canvas = canvas_make(course.width, COURSE_ROWS, options->has_utf8, &arena);
    memset(course.letters, ' ', course.width);
    draw_all(&course);
    term_add(out, options->has_color, TERM_BOLD, "  course");
    strbuf_addf(out, ", %zu sample%s in order of measurement", set->taken_count,
                set->taken_count == 1 ? "" : "s");
    if (course.is_collapsed)
        strbuf_addf(out, ", columns of %.0f: min, median, max",
                    ceil((double)set->taken_count / (double)(course.width * course.canvas.cell_columns)));
    strbuf_add_char(out, '\n');
    print_rows(&course, label_width, out);
    print_round_numbers(&course, indent, out);
    print_discards(&course, indent, out);
    free(course.scratch);
    arena_fini(&arena);
    return 0;
}
