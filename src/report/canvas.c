// SPDX-License-Identifier: Apache-2.0
//
// Dots as characters: braille's code points are U+2800 plus a bit for each of eight dots.
#include "report/canvas.h"

#include <stdint.h>

#include "base/err.h"

struct canvas_cell {
    uint8_t dots;
    bool is_over;
    const char *sign; // NULL: none
    enum term_style style, sign_style;
};

struct canvas canvas_make(size_t width, size_t height, bool has_utf8, struct arena *arena) {
    return (struct canvas){.width = width,
                           .height = height,
                           .has_utf8 = has_utf8,
                           .cell_columns = has_utf8 ? 2 : 1,
                           .cell_rows = has_utf8 ? 4 : 2,
                           .cells = arena_array(arena, width * height, sizeof(struct canvas_cell))};
}

static struct canvas_cell *cell_at(const struct canvas *canvas, size_t column, size_t row) {
    if (column >= canvas->width || row >= canvas->height)
        BUG("cell %zu, %zu of a canvas of %zu x %zu", column, row, canvas->width, canvas->height);
    return &canvas->cells[row * canvas->width + column];
}

void canvas_dot(struct canvas *canvas, size_t x, size_t y, enum term_style style) {
    static const uint8_t braille[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    struct canvas_cell *cell = cell_at(canvas, x / canvas->cell_columns, y / canvas->cell_rows);
    size_t dx = x % canvas->cell_columns, dy = y % canvas->cell_rows;
    unsigned dot = canvas->has_utf8 ? braille[dy][dx] : 1u << dy;
    cell->dots = (uint8_t)(cell->dots | dot);
    cell->style = style;
}

void canvas_sign(struct canvas *canvas, size_t column, size_t row, const char *sign, enum term_style style,
                 bool is_over) {
    struct canvas_cell *cell = cell_at(canvas, column, row);
    if (cell->is_over && !is_over) return;
    cell->sign = sign;
    cell->sign_style = style;
    cell->is_over = is_over;
}

const char *canvas_sign_at(const struct canvas *canvas, size_t column, size_t row) {
    return cell_at(canvas, column, row)->sign;
}

void canvas_print_row(const struct canvas *canvas, size_t row, bool has_color, struct strbuf *out) {
    static const char *const ascii[] = {" ", "'", ".", ":"};
    size_t last = canvas->width; // no blanks at the end
    while (last > 0 && !cell_at(canvas, last - 1, row)->sign && !cell_at(canvas, last - 1, row)->dots) --last;
    for (size_t column = 0; column < last; ++column) {
        const struct canvas_cell *cell = cell_at(canvas, column, row);
        // U+2800 + dots as UTF-8.
        const char braille[] = {(char)0xe2, (char)(0xa0 | (cell->dots >> 6)),
                                (char)(0x80 | (cell->dots & 0x3f)), 0};
        if (cell->sign && (cell->is_over || !cell->dots))
            term_add(out, has_color, cell->sign_style, cell->sign);
        else if (cell->dots)
            term_add(out, has_color, cell->style, canvas->has_utf8 ? braille : ascii[cell->dots & 3]);
        else
            strbuf_add_char(out, ' ');
    }
}
