// SPDX-License-Identifier: Apache-2.0
//
// Tables for terminals, see term.h: aligned columns, broken cells on a narrow page, lists on a very narrow
// one.
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/term.h"

#define GAP_COLUMNS   2  // between columns
#define BROKEN_LEAST  16 // columns of a cell that is broken into lines: narrower ones are hard to read
#define LISTED_INDENT 2  // of a cell below the first one of its row, where rows are lists

struct table_row {
    char **cells; // column_count of them; NULL: this row is a rule
    enum term_style *styles;
};

struct term_table {
    size_t column_count;
    char *alignment;
    struct table_row *rows;
    size_t row_count, row_capacity;
    size_t head_count; // its first rows; 0: it has no head
};

struct term_table *term_table_new(size_t column_count, const char *alignment) {
    if (strlen(alignment) != column_count)
        BUG("table of %zu columns aligned as '%s'", column_count, alignment);
    struct term_table *table = mem_alloc(sizeof *table);
    table->column_count = column_count;
    table->alignment = mem_strdup(alignment);
    return table;
}

static struct table_row *row_add(struct term_table *table) {
    MEM_GROW(table->rows, table->row_capacity, table->row_count + 1);
    struct table_row *row = &table->rows[table->row_count++];
    *row = (struct table_row){0};
    return row;
}

void term_table_add(struct term_table *table, const char *const *cells) {
    struct table_row *row = row_add(table);
    row->cells = mem_alloc(table->column_count * sizeof *row->cells);
    row->styles = mem_alloc(table->column_count * sizeof *row->styles);
    for (size_t i = 0; i < table->column_count; ++i) {
        struct strbuf cell = {0};
        strbuf_add_plain(&cell, str_or(cells[i], ""), true);
        row->cells[i] = strbuf_take(&cell);
    }
}

void term_table_style(struct term_table *table, size_t column, enum term_style style) {
    if (table->row_count == 0 || column >= table->column_count) BUG("no cell to style in column %zu", column);
    struct table_row *row = &table->rows[table->row_count - 1];
    if (row->styles) row->styles[column] = style;
}

void term_table_head(struct term_table *table) {
    if (!table->head_count) table->head_count = table->row_count;
}

void term_table_rule(struct term_table *table) {
    term_table_head(table);
    row_add(table);
}

static void add_repeated(struct strbuf *out, char c, size_t count) {
    for (size_t i = 0; i < count; ++i) strbuf_add_char(out, c);
}

// ---- how wide ----

static size_t longest_word(const char *text) {
    size_t longest = 0;
    for (size_t length; *text; text += length + (text[length] == ' ')) {
        length = strcspn(text, " ");
        char *word = mem_format("%.*s", (int)length, text);
        const size_t width = str_width(word);
        free(word);
        if (width > longest) longest = width;
    }
    return longest;
}

// What the widest cell of a column takes, and what it takes when texts are broken.
// Numbers stay whole; their heads may be broken.
static void measure(const struct term_table *table, size_t column, size_t *ret_widest, size_t *ret_least) {
    const bool is_text = table->alignment[column] == 'l';
    *ret_widest = *ret_least = 0;
    for (size_t r = 0; r < table->row_count; ++r) {
        if (!table->rows[r].cells) continue;
        const char *cell = table->rows[r].cells[column];
        const size_t width = str_width(cell);
        size_t least = is_text || r < table->head_count ? longest_word(cell) : width;
        if (is_text && least < BROKEN_LEAST) least = width < BROKEN_LEAST ? width : BROKEN_LEAST;
        if (width > *ret_widest) *ret_widest = width;
        if (least > *ret_least) *ret_least = least;
    }
}

static size_t sum(const size_t *widths, size_t count) {
    size_t total = count ? GAP_COLUMNS * (count - 1) : 0;
    for (size_t i = 0; i < count; ++i) total += widths[i];
    return total;
}

// Takes from the heads of numbers, then from the widest column that can give, until the table fits the page.
// False: it cannot.
static bool narrow(const struct term_table *table, size_t *widths, const size_t *least) {
    const size_t count = table->column_count, page = term_page_columns();
    if (sum(least, count) > page) return false;
    for (size_t i = 0; i < count && sum(widths, count) > page; ++i)
        if (table->alignment[i] == 'r') widths[i] = least[i];
    for (size_t total = sum(widths, count); total > page; --total) {
        size_t widest = count;
        for (size_t i = 0; i < count; ++i)
            if (widths[i] > least[i] && (widest == count || widths[i] > widths[widest])) widest = i;
        --widths[widest];
    }
    return true;
}

// ---- as columns ----

// One line of a row, whose cells go on at `rest`. True: something is left for another one.
static bool line_print(const struct term_table *table, const struct table_row *row, const size_t *widths,
                       bool color, const char **rest, struct strbuf *out) {
    size_t last = table->column_count; // empty cells at the end leave no blanks
    bool is_more = false;
    while (last > 0 && !*rest[last - 1]) --last;
    for (size_t i = 0; i < last; ++i) {
        const size_t length = term_line_bytes(rest[i], widths[i]);
        char *text = mem_format("%.*s", (int)length, rest[i]);
        const size_t width = str_width(text), padding = width < widths[i] ? widths[i] - width : 0;
        const bool is_right = table->alignment[i] == 'r';
        if (i) add_repeated(out, ' ', GAP_COLUMNS);
        if (is_right) add_repeated(out, ' ', padding);
        term_add(out, color, row->styles[i], text);
        if (!is_right && i + 1 < last) add_repeated(out, ' ', padding);
        rest[i] += length + strspn(rest[i] + length, " ");
        is_more |= *rest[i] != 0;
        free(text);
    }
    strbuf_add_char(out, '\n');
    return is_more;
}

static void columns_print(const struct term_table *table, const size_t *widths, bool color,
                          struct strbuf *out) {
    const char **rest = mem_alloc(table->column_count * sizeof *rest);
    for (size_t r = 0; r < table->row_count; ++r) {
        const struct table_row *row = &table->rows[r];
        if (!row->cells) {
            add_repeated(out, '-', sum(widths, table->column_count));
            strbuf_add_char(out, '\n');
            continue;
        }
        for (size_t i = 0; i < table->column_count; ++i) rest[i] = row->cells[i];
        while (line_print(table, row, widths, color, rest, out)) continue;
    }
    free(rest);
}

// ---- as lists ----

// The first cell, and below it the others, each behind the head of its column.
static void list_print(const struct term_table *table, const struct table_row *row, bool color,
                       struct strbuf *out) {
    const struct table_row *head = table->head_count ? &table->rows[table->head_count - 1] : NULL;
    size_t name_columns = 0;
    for (size_t i = 1; head && i < table->column_count; ++i)
        if (str_width(head->cells[i]) > name_columns) name_columns = str_width(head->cells[i]);
    const size_t indent = LISTED_INDENT + (name_columns ? name_columns + GAP_COLUMNS : 0);
    term_add_wrapped(out, color, row->styles[0], 0, row->cells[0]);
    strbuf_add_char(out, '\n');
    for (size_t i = 1; i < table->column_count; ++i) {
        if (!*row->cells[i]) continue;
        add_repeated(out, ' ', LISTED_INDENT);
        if (head) term_add(out, color, TERM_DIM, head->cells[i]);
        if (name_columns) add_repeated(out, ' ', indent - LISTED_INDENT - str_width(head->cells[i]));
        term_add_wrapped(out, color, row->styles[i], indent, row->cells[i]);
        strbuf_add_char(out, '\n');
    }
}

void term_table_print(const struct term_table *table, bool color, struct strbuf *out) {
    size_t *widths = mem_alloc(table->column_count * sizeof *widths);
    size_t *least = mem_alloc(table->column_count * sizeof *least);
    for (size_t i = 0; i < table->column_count; ++i) measure(table, i, &widths[i], &least[i]);
    if (!term_page_columns() || narrow(table, widths, least))
        columns_print(table, widths, color, out);
    else
        for (size_t r = table->head_count; r < table->row_count; ++r)
            if (table->rows[r].cells) list_print(table, &table->rows[r], color, out);
    free(widths);
    free(least);
}

void term_table_free(struct term_table *table) {
    if (!table) return;
    for (size_t r = 0; r < table->row_count; ++r) {
        struct table_row *row = &table->rows[r];
        for (size_t i = 0; row->cells && i < table->column_count; ++i) free(row->cells[i]);
        free(row->cells);
        free(row->styles);
    }
    free(table->rows);
    free(table->alignment);
    free(table);
}
