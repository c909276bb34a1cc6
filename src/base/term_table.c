// SPDX-License-Identifier: Apache-2.0
//
// Tables for terminals, see term.h: aligned columns; on a narrow page with broken cells, then without the
// least important columns, then as lists.
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
    char *ranks; // a digit a column; NULL: all are 0
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

void term_table_ranks(struct term_table *table, const char *ranks) {
    if (strlen(ranks) != table->column_count || table->ranks)
        BUG("table of %zu columns ranked as '%s'", table->column_count, ranks);
    table->ranks = mem_strdup(ranks);
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

// How the table is laid out on the page.
struct layout {
    bool *is_shown;         // of the columns
    size_t *widths, *least; // what the widest cell of a column takes, and what it takes when texts are broken
    bool is_apart;          // a first cell that is wider than its column stands in a line of its own
};

static int rank_of(const struct term_table *table, size_t column) {
    return table->ranks ? table->ranks[column] - '0' : 0;
}

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

// Numbers stay whole, and so do columns that are left out sooner; their heads may be broken.
static void measure(const struct term_table *table, size_t column, struct layout *layout) {
    const bool is_text = table->alignment[column] == 'l' && !rank_of(table, column);
    size_t *widest = &layout->widths[column], *least_of_all = &layout->least[column];
    *widest = *least_of_all = 0;
    for (size_t r = 0; r < table->row_count; ++r) {
        if (!table->rows[r].cells) continue;
        const char *cell = table->rows[r].cells[column];
        const size_t width = str_width(cell);
        size_t least = is_text || r < table->head_count ? longest_word(cell) : width;
        if (is_text && least < BROKEN_LEAST) least = width < BROKEN_LEAST ? width : BROKEN_LEAST;
        if (width > *widest) *widest = width;
        if (least > *least_of_all) *least_of_all = least;
    }
}

static size_t sum(const struct term_table *table, const struct layout *layout, const size_t *widths) {
    size_t total = 0, shown = 0;
    for (size_t i = 0; i < table->column_count; ++i) {
        if (!layout->is_shown[i]) continue;
        total += widths[i];
        ++shown;
    }
    return total + (shown ? GAP_COLUMNS * (shown - 1) : 0);
}

// Takes from the heads of numbers, then from the widest column that can give, until the table fits the page.
// False: it cannot.
static bool narrow(const struct term_table *table, struct layout *layout) {
    const size_t count = table->column_count, page = term_page_columns();
    size_t *widths = layout->widths;
    if (sum(table, layout, layout->least) > page) return false;
    for (size_t i = 0; i < count && sum(table, layout, widths) > page; ++i)
        if (table->alignment[i] == 'r') widths[i] = layout->least[i];
    for (size_t total = sum(table, layout, widths); total > page; --total) {
        size_t widest = count;
        for (size_t i = 0; i < count; ++i)
            if (layout->is_shown[i] && widths[i] > layout->least[i] &&
                (widest == count || widths[i] > widths[widest]))
                widest = i;
        --widths[widest];
    }
    return true;
}

// Names that are far longer than most get a line of their own, so that the others fit. False: that is no
// help, or most are as long.
static bool narrow_apart(const struct term_table *table, struct layout *layout) {
    const size_t page = term_page_columns(), others = sum(table, layout, layout->least) - layout->least[0];
    const size_t room = page > others ? page - others : 0, kept[] = {layout->widths[0], layout->least[0]};
    size_t rows = 0, fitting = 0, widest = 0;
    if (table->column_count < 2 || table->alignment[0] != 'l') return false;
    for (size_t r = 0; r < table->row_count; ++r) {
        if (!table->rows[r].cells) continue;
        const size_t width = str_width(table->rows[r].cells[0]);
        ++rows;
        if (width > room) continue;
        ++fitting;
        if (width > widest) widest = width;
    }
    if (2 * fitting <= rows) return false;
    layout->widths[0] = layout->least[0] = widest;
    layout->is_apart = narrow(table, layout);
    if (layout->is_apart) return true;
    layout->widths[0] = kept[0];
    layout->least[0] = kept[1];
    return false;
}

// Leaves out the shown column of the highest rank. False: all that are shown have to be.
static bool drop_one(const struct term_table *table, struct layout *layout) {
    size_t last = table->column_count;
    for (size_t i = 0; i < table->column_count; ++i)
        if (layout->is_shown[i] &&
            rank_of(table, i) > (last < table->column_count ? rank_of(table, last) : 0))
            last = i;
    if (last == table->column_count) return false;
    layout->is_shown[last] = false;
    return true;
}

// False: no columns fit this page.
static bool fit(const struct term_table *table, struct layout *layout) {
    if (!term_page_columns()) return true;
    do
        if (narrow(table, layout) || narrow_apart(table, layout)) return true;
    while (drop_one(table, layout));
    return false;
}

// ---- as columns ----

struct printing {
    const struct term_table *table;
    const struct layout *layout;
    bool color;
    struct strbuf *out;
};

// What of a cell has room in a line; *rest moves behind it.
static void add_cell(const struct printing *to, const struct table_row *row, size_t column, bool is_last,
                     const char **rest) {
    const size_t room = to->layout->widths[column], length = term_line_bytes(*rest, room);
    char *text = mem_format("%.*s", (int)length, *rest);
    const size_t width = str_width(text), padding = width < room ? room - width : 0;
    const bool is_right = to->table->alignment[column] == 'r';
    if (is_right) add_repeated(to->out, ' ', padding);
    term_add(to->out, to->color, row->styles[column], text);
    if (!is_right && !is_last) add_repeated(to->out, ' ', padding);
    *rest += length + strspn(*rest + length, " ");
    free(text);
}

// One line of a row, whose cells go on at `rest`. True: something is left for another one.
static bool line_print(const struct printing *to, const struct table_row *row, const char **rest) {
    const struct layout *layout = to->layout;
    size_t last = to->table->column_count; // empty cells at the end leave no blanks
    bool is_more = false, is_first = true;
    while (last > 0 && (!layout->is_shown[last - 1] || !*rest[last - 1])) --last;
    if (layout->is_apart && str_width(rest[0]) > layout->widths[0]) {
        term_add_wrapped(to->out, to->color, row->styles[0], 0, rest[0]);
        strbuf_add_char(to->out, '\n');
        rest[0] += strlen(rest[0]);
        return last > 1;
    }
    for (size_t i = 0; i < last; ++i) {
        if (!layout->is_shown[i]) continue;
        if (!is_first) add_repeated(to->out, ' ', GAP_COLUMNS);
        is_first = false;
        add_cell(to, row, i, i + 1 == last, &rest[i]);
        is_more |= *rest[i] != 0;
    }
    strbuf_add_char(to->out, '\n');
    return is_more;
}

// The names of columns for which there is no room, below the table.
static void add_left_out(const struct term_table *table, const struct layout *layout, bool color,
                         struct strbuf *out) {
    const struct table_row *head = table->head_count ? &table->rows[table->head_count - 1] : NULL;
    struct strbuf names = {0};
    for (size_t i = 0; head && i < table->column_count; ++i)
        if (!layout->is_shown[i] && *head->cells[i])
            strbuf_addf(&names, "%s%s",
                        names.length ? ", " : "not shown on a page this narrow: ", head->cells[i]);
    if (names.length) {
        term_add_wrapped(out, color, TERM_DIM, 0, names.text);
        strbuf_add_char(out, '\n');
    }
    strbuf_fini(&names);
}

static void columns_print(const struct term_table *table, const struct layout *layout, bool color,
                          struct strbuf *out) {
    const struct printing to = {table, layout, color, out};
    const char **rest = mem_alloc(table->column_count * sizeof *rest);
    for (size_t r = 0; r < table->row_count; ++r) {
        const struct table_row *row = &table->rows[r];
        if (!row->cells) {
            add_repeated(out, '-', sum(table, layout, layout->widths));
            strbuf_add_char(out, '\n');
            continue;
        }
        for (size_t i = 0; i < table->column_count; ++i) rest[i] = layout->is_shown[i] ? row->cells[i] : "";
        while (line_print(&to, row, rest)) continue;
    }
    add_left_out(table, layout, color, out);
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
    struct layout layout = {.is_shown = mem_alloc(table->column_count * sizeof *layout.is_shown),
                            .widths = mem_alloc(table->column_count * sizeof *layout.widths),
                            .least = mem_alloc(table->column_count * sizeof *layout.least)};
    for (size_t i = 0; i < table->column_count; ++i) {
        measure(table, i, &layout);
        layout.is_shown[i] = true;
    }
    if (fit(table, &layout))
        columns_print(table, &layout, color, out);
    else
        for (size_t r = table->head_count; r < table->row_count; ++r)
            if (table->rows[r].cells) list_print(table, &table->rows[r], color, out);
    free(layout.is_shown);
    free(layout.widths);
    free(layout.least);
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
    free(table->ranks);
    free(table);
}
