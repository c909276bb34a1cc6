// SPDX-License-Identifier: Apache-2.0
//
// The blocks of a report: arrays that grow in an arena, and their form as aligned plain text for a terminal.
#include "report/result/report_block.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "report/result/figure_text.h"

// Makes room for one more item: returns the array, or a larger copy of it.
static void *with_room(struct arena *arena, void *items, size_t count, size_t *capacity, size_t item_bytes) {
    if (count < *capacity) return items;
    *capacity = *capacity ? 2 * *capacity : 8;
    void *ret = arena_array(arena, *capacity, item_bytes);
    if (count) memcpy(ret, items, count * item_bytes);
    return ret;
}

struct report_block *report_block_add(struct report_blocks *blocks, enum report_block_kind kind,
                                      const char *text) {
    blocks->items =
        with_room(blocks->arena, blocks->items, blocks->count, &blocks->capacity, sizeof *blocks->items);
    struct report_block *block = &blocks->items[blocks->count++];
    *block = (struct report_block){.kind = kind, .text = text, .column_count = 1, .alignment = "l"};
    if (kind == REPORT_FACTS) {
        block->column_count = 2;
        memcpy(block->alignment, "ll", 3);
    }
    return block;
}

struct report_block *report_table_add(struct report_blocks *blocks, const char *alignment,
                                      const char *const *head) {
    size_t count = strlen(alignment);
    if (count > REPORT_COLUMNS_MAX) BUG("a table of %zu columns", count);
    struct report_block *block = report_block_add(blocks, REPORT_TABLE, NULL);
    block->column_count = count;
    memcpy(block->alignment, alignment, count + 1);
    for (size_t i = 0; i < count; ++i) block->head[i] = head[i];
    return block;
}

void report_column_add(struct report_block *table, char alignment, const char *head) {
    const size_t at = table->column_count;
    if (at >= REPORT_COLUMNS_MAX || table->row_count) BUG("no room for column %zu of a table", at);
    table->head[at] = head;
    table->alignment[at] = alignment;
    table->alignment[++table->column_count] = 0;
}

struct report_row *report_row_add(struct report_blocks *blocks, struct report_block *block) {
    block->rows =
        with_room(blocks->arena, block->rows, block->row_count, &block->row_capacity, sizeof *block->rows);
    return &block->rows[block->row_count++];
}

void report_item_add(struct report_blocks *blocks, struct report_block *block, const char *text) {
    report_row_add(blocks, block)->cells[0] = text;
}

void report_item_addf(struct report_blocks *blocks, struct report_block *block, const char *format, ...) {
    struct strbuf text = {0};
    va_list args;
    va_start(args, format);
    strbuf_addv(&text, format, args);
    va_end(args);
    report_item_add(blocks, block, arena_strdup(blocks->arena, strbuf_text(&text)));
    strbuf_fini(&text);
}

void report_lines_add(struct report_blocks *blocks, struct report_block *block, const char *text) {
    for (size_t length; *text; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        report_item_add(blocks, block, arena_strndup(blocks->arena, text, length));
    }
}

void report_fact_add(struct report_blocks *blocks, struct report_block *block, const char *name,
                     const char *value) {
    if (!value || !*value) return;
    struct report_row *row = report_row_add(blocks, block);
    row->cells[0] = name;
    row->cells[1] = value;
}

void report_table_drop_empty(struct report_block *block) {
    for (size_t column = block->column_count; column-- > 1;) {
        bool is_empty = true;
        for (size_t r = 0; r < block->row_count; ++r)
            is_empty = is_empty && !*str_or(block->rows[r].cells[column], "");
        if (!is_empty) continue;
        const size_t after = --block->column_count - column;
        memmove(&block->head[column], &block->head[column + 1], after * sizeof *block->head);
        memmove(&block->alignment[column], &block->alignment[column + 1], after + 1);
        for (size_t r = 0; r < block->row_count; ++r) {
            struct report_row *row = &block->rows[r];
            memmove(&row->cells[column], &row->cells[column + 1], after * sizeof *row->cells);
            if (row->style_column > column) --row->style_column;
        }
    }
}

void report_block_drop_empty(struct report_blocks *blocks, const struct report_block *block) {
    if (block->row_count == 0) --blocks->count;
}

// Rows in aligned columns; facts have no head, and their names are dim.
static void print_table(const struct report_block *block, bool has_color, struct strbuf *out) {
    const bool has_head = block->kind == REPORT_TABLE;
    struct term_table *table = term_table_new(block->column_count, block->alignment);
    if (has_head) {
        term_table_add(table, block->head);
        for (size_t i = 0; i < block->column_count; ++i) term_table_style(table, i, TERM_BOLD);
        term_table_rule(table);
    }
    for (size_t r = 0; r < block->row_count; ++r) {
        const struct report_row *row = &block->rows[r];
        term_table_add(table, row->cells);
        if (row->style != TERM_PLAIN) term_table_style(table, row->style_column, row->style);
        if (!has_head) term_table_style(table, 0, TERM_DIM);
    }
    term_table_print(table, has_color, out);
    term_table_free(table);
}

static void make_plain(struct report_block *block, bool has_utf8, struct arena *arena) {
    if (block->text) block->text = figure_plain(block->text, has_utf8, arena);
    for (size_t c = 0; c < block->column_count; ++c)
        if (block->head[c]) block->head[c] = figure_plain(block->head[c], has_utf8, arena);
    for (size_t r = 0; r < block->row_count; ++r)
        for (size_t c = 0; c < REPORT_COLUMNS_MAX; ++c)
            if (block->rows[r].cells[c])
                block->rows[r].cells[c] = figure_plain(block->rows[r].cells[c], has_utf8, arena);
}

void report_blocks_make_plain(struct report_blocks *blocks, bool has_utf8) {
    for (size_t i = 0; i < blocks->count; ++i) make_plain(&blocks->items[i], has_utf8, blocks->arena);
}

// Commands, which are copied, stay as they are on a page of any width.
static void print_rows(const struct report_block *block, struct strbuf *out) {
    static const char *const prefixes[REPORT_BLOCK_COUNT] = {[REPORT_LIST] = "- ", [REPORT_COMMANDS] = "  "};
    const char *prefix = str_or(prefixes[block->kind], "");
    for (size_t r = 0; r < block->row_count; ++r) {
        const char *text = block->rows[r].cells[0];
        strbuf_add(out, prefix);
        const size_t blanks = strspn(text, " "); // lines that follow begin where the first one does
        strbuf_add_bytes(out, text, blanks);
        if (block->kind == REPORT_COMMANDS)
            strbuf_add(out, text + blanks);
        else
            term_add_wrapped(out, false, TERM_PLAIN, strlen(prefix) + blanks, text + blanks);
        strbuf_add_char(out, '\n');
    }
}

void report_blocks_print(struct report_blocks *blocks, bool has_color, struct strbuf *out) {
    report_blocks_make_plain(blocks, blocks->has_utf8);
    for (size_t i = 0; i < blocks->count; ++i) {
        struct report_block *block = &blocks->items[i];
        const bool is_below = block->kind == REPORT_VERDICT || block->kind == REPORT_FACTS;
        if (i > 0 && !(is_below && blocks->items[i - 1].kind == REPORT_HEADING)) strbuf_add_char(out, '\n');
        if (block->text) {
            term_add_wrapped(out, has_color,
                             block->kind == REPORT_VERDICT     ? block->style
                             : block->kind == REPORT_PARAGRAPH ? TERM_PLAIN
                                                               : TERM_BOLD,
                             0, block->text);
            strbuf_add_char(out, '\n');
        }
        if (block->kind == REPORT_FACTS || block->kind == REPORT_TABLE)
            print_table(block, has_color, out);
        else
            print_rows(block, out);
    }
}
