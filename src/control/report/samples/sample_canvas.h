// SPDX-License-Identifier: Apache-2.0
//
// A field of character cells to plot into. A cell holds dots (braille's 2 x 4 with UTF-8, else one column of
// two: . ' :) or one sign that hides them.
#ifndef CONTROL_REPORT_SAMPLES_SAMPLE_CANVAS_H
#define CONTROL_REPORT_SAMPLES_SAMPLE_CANVAS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"
#include "base/term.h"

struct sample_canvas {
    size_t width, height; // cells
    bool has_utf8;
    size_t cell_columns, cell_rows; // dots a cell
    struct canvas_cell *cells;      // owned
};

// -1: no memory.
int sample_canvas_init(struct sample_canvas *canvas, size_t width, size_t height, bool has_utf8);
void sample_canvas_fini(struct sample_canvas *canvas);

// x from the left, y from the top, in dots; what lies outside is a bug. The style is the cell's, the last one
// given.
void sample_canvas_dot(struct sample_canvas *canvas, size_t x, size_t y, enum term_style style);
// A sign in a cell. A literal, ASCII without UTF-8. is_over: hides dots; else it is drawn where there are
// none.
void sample_canvas_sign(struct sample_canvas *canvas, size_t column, size_t row, const char *sign,
                        enum term_style style, bool is_over);
void sample_canvas_print_row(const struct sample_canvas *canvas, size_t row, bool has_color,
                             struct strbuf *out);

#endif
