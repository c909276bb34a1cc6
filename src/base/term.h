// SPDX-License-Identifier: Apache-2.0
//
// Colour and aligned tables for terminals. Colour is on for terminals unless NO_COLOR is set or --color says
// otherwise.
#ifndef BASE_TERM_H
#define BASE_TERM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"

enum term_color {
    TERM_COLOR_INVALID = 0,
    TERM_COLOR_AUTO,
    TERM_COLOR_ALWAYS,
    TERM_COLOR_NEVER,
    TERM_COLOR_COUNT
};
enum term_style {
    TERM_PLAIN = 0,
    TERM_BOLD,
    TERM_DIM,
    TERM_GREEN,
    TERM_RED,
    TERM_YELLOW,
    TERM_CYAN,
    TERM_STYLE_COUNT
};

bool term_wants_color(enum term_color choice, int fd);
// Whether the locale (LC_ALL, else LC_CTYPE, else LANG) is UTF-8.
bool term_has_utf8(void);
// Width in columns: COLUMNS, else the width of the terminal behind fd, else 80.
size_t term_width(int fd);
// The same; 0 without COLUMNS and where fd is no terminal.
size_t term_columns(int fd);
// How wide the page is that text is made for: tables and wrapped text stay within it. 0, as at first: no
// limit, for files and pipes, whose readers want one line a row. Set once, by the program's main.
void term_page_set(size_t columns);
size_t term_page_columns(void);
void term_add(struct strbuf *out, bool color, enum term_style style, const char *text);
// The same, with line breaks at blanks so that it fits the page. It begins in column `indent`, and so do the
// lines that follow; a word that is longer than a line stays whole.
void term_add_wrapped(struct strbuf *out, bool color, enum term_style style, size_t indent, const char *text);
// Bytes of the first line when text is broken at blanks: at most so many columns, a whole word at least.
size_t term_line_bytes(const char *text, size_t columns);
// Adds text that is about to be printed: its lines and the colours of term_add stay, and whatever else is not
// plain (base/plain_text.h) becomes so. Whoever quotes foreign text makes it plain before; this is for those
// who forgot.
void term_add_page(struct strbuf *out, const char *text);

// A table: rows of cells, each column as wide as its widest cell; numbers right-aligned. Rows before the
// first rule are its head. Where it is wider than the page, texts are broken at blanks; where that is not
// enough, a few long first cells get lines of their own, then columns are left out by their rank, which a
// line below the table says; then each row becomes a list of its cells. No cell is cut.
struct term_table;
struct term_table *term_table_new(size_t column_count, const char *alignment); // "lrr": l or r a column
// How soon a column may be left out, a digit each: "0013"; 0, as without ranks: it is always shown, the
// highest goes first. A column with a rank is shown whole or not at all.
void term_table_ranks(struct term_table *table, const char *ranks);
void term_table_add(struct term_table *table,
                    const char *const *cells); // NULL cell: empty; copied, made plain
void term_table_style(struct term_table *table, size_t column,
                      enum term_style style);   // of the row added last
void term_table_rule(struct term_table *table); // a line of dashes
void term_table_head(struct term_table *table); // the rows so far are its head, without a line below them
void term_table_print(const struct term_table *table, bool color,
                      struct strbuf *out); // two spaces between columns
void term_table_free(struct term_table *table);

// "48.1 us", "1.32 ms", "2.10 s": three significant digits or one decimal, for people.
void term_format_time(double ns, char *ret_text, size_t capacity);
// "80.5 MB", "1.2 GB" (powers of ten).
void term_format_bytes(double bytes, char *ret_text, size_t capacity);
// "357 TFLOP/s", "85.3 GFLOP/s", with unit "FLOP/s" or "B/s": three significant digits. Empty unless finite.
void term_format_rate(double giga_per_s, const char *unit, char *ret_text, size_t capacity);

#endif
