// SPDX-License-Identifier: Apache-2.0
//
// A field of character cells to plot into. A cell holds dots (braille's 2 x 4 with UTF-8, else one column of
// two: . ' :) or one sign.
#ifndef REPORT_CANVAS_H
#define REPORT_CANVAS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "base/term.h"

struct canvas {
    size_t width, height; // cells
    bool has_utf8;
    size_t cell_columns, cell_rows; // dots a cell
    struct canvas_cell *cells;      // in the arena
};

struct canvas canvas_make(size_t width, size_t height, bool has_utf8, struct arena *arena);

// Draws a dot: x from the left, y from the top, in dots; a place outside the canvas is a bug. The cell takes
// this style.
void canvas_dot(struct canvas *canvas, size_t x, size_t y, enum term_style style);
// Puts a sign into a cell: a string literal, ASCII without UTF-8. is_over: it hides dots; else it is drawn
// only if the cell has none.
void canvas_sign(struct canvas *canvas, size_t column, size_t row, const char *sign, enum term_style style,
                 bool is_over);
const char *canvas_sign_at(const struct canvas *canvas, size_t column, size_t row); // NULL: none
void canvas_print_row(const struct canvas *canvas, size_t row, bool has_color, struct strbuf *out);

#endif
