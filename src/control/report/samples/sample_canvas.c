// SPDX-License-Identifier: Apache-2.0
//
// How do dots become characters? Braille's code points are U+2800 plus a bit for each of eight dots.
#include "control/report/samples/sample_canvas.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"

struct canvas_cell {
    uint8_t dots;
    bool is_over;
    const char *sign; // NULL: none
    enum term_style style, sign_style;
};

int sample_canvas_init(struct sample_canvas *canvas, size_t width, size_t height, bool has_utf8) {
    *canvas = (struct sample_canvas){.width = width, .height = height, .has_utf8 = has_utf8};
    canvas->cell_columns = has_utf8 ? 2 : 1;
    canvas->cell_rows = has_utf8 ? 4 : 2;
    canvas->cells = mem_try_array(width * height, sizeof *canvas->cells);
    return canvas->cells ? 0 : -1;
}

void sample_canvas_fini(struct sample_canvas *canvas) {
    free(canvas->cells);
    *canvas = (struct sample_canvas){0};
}

static struct canvas_cell *cell_at(const struct sample_canvas *canvas, size_t column, size_t row) {
    if (column >= canvas->width || row >= canvas->height)
        BUG("cell %zu, %zu of a canvas of %zu x %zu", column, row, canvas->width, canvas->height);
    return &canvas->cells[row * canvas->width + column];
}

void sample_canvas_dot(struct sample_canvas *canvas, size_t x, size_t y, enum term_style style) {
    static const uint8_t braille[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    struct canvas_cell *cell = cell_at(canvas, x / canvas->cell_columns, y / canvas->cell_rows);
    size_t dx = x % canvas->cell_columns, dy = y % canvas->cell_rows;
    unsigned dot = canvas->has_utf8 ? braille[dy][dx] : 1u << dy;
    cell->dots = (uint8_t)(cell->dots | dot);
    cell->style = style;
}

void sample_canvas_sign(struct sample_canvas *canvas, size_t column, size_t row, const char *sign,
                        enum term_style style, bool is_over) {
    struct canvas_cell *cell = cell_at(canvas, column, row);
    if (cell->is_over && !is_over) return;
    cell->sign = sign;
    cell->sign_style = style;
    cell->is_over = is_over;
}

static const char *dots_text(const struct sample_canvas *canvas, uint8_t dots, char *buffer) {
    static const char *const ascii[] = {" ", "'", ".", ":"};
    if (!canvas->has_utf8) return ascii[dots & 3];
    // U+2800 + dots as UTF-8.
    buffer[0] = (char)0xe2;
    buffer[1] = (char)(0xa0 | (dots >> 6));
    buffer[2] = (char)(0x80 | (dots & 0x3f));
    buffer[3] = 0;
    return buffer;
}

void sample_canvas_print_row(const struct sample_canvas *canvas, size_t row, bool has_color,
                             struct strbuf *out) {
    size_t last = canvas->width; // no blanks at the end
    while (last > 0 && !cell_at(canvas, last - 1, row)->sign && !cell_at(canvas, last - 1, row)->dots) --last;
    for (size_t column = 0; column < last; ++column) {
        const struct canvas_cell *cell = cell_at(canvas, column, row);
        char buffer[4];
        if (cell->sign && (cell->is_over || !cell->dots))
            term_add(out, has_color, cell->sign_style, cell->sign);
        else if (cell->dots)
            term_add(out, has_color, cell->style, dots_text(canvas, cell->dots, buffer));
        else
            strbuf_add_char(out, ' ');
    }
}
