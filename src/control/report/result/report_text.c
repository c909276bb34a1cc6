// SPDX-License-Identifier: Apache-2.0
//
// A report for a terminal: blocks as aligned plain text, with colour where wanted.
#include <string.h>

#include "control/report/result/figure_text.h"
#include "control/report/result/report_content.h"
#include "control/report/result/report_render.h"

static void print_titled(const struct report_block *block, bool has_color, struct strbuf *out) {
    if (!block->text) return;
    term_add(out, has_color, TERM_BOLD, block->text);
    strbuf_add_char(out, '\n');
}

static void print_rows(const struct report_block *block, const char *prefix, struct strbuf *out) {
    for (size_t r = 0; r < block->row_count; ++r) strbuf_addf(out, "%s%s\n", prefix, block->rows[r].cells[0]);
}

static void print_table(const struct report_block *block, bool has_head, bool has_color, struct strbuf *out) {
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

static void print_block(const struct report_block *block, bool has_color, struct strbuf *out) {
    switch (block->kind) {
    case REPORT_VERDICT:
        term_add(out, has_color, block->style, block->text);
        strbuf_add_char(out, '\n');
        break;
    case REPORT_FACTS:
    case REPORT_TABLE:
        print_titled(block, has_color, out);
        print_table(block, block->kind == REPORT_TABLE, has_color, out);
        break;
    case REPORT_LIST:
        print_titled(block, has_color, out);
        print_rows(block, "- ", out);
        break;
    case REPORT_COMMANDS:
        print_titled(block, has_color, out);
        print_rows(block, "  ", out);
        break;
    default: // headings, paragraphs, lines
        print_titled(block, has_color && block->kind != REPORT_PARAGRAPH, out);
        print_rows(block, "", out);
    }
}

// Names and reasons come from files of any origin: what could steer the terminal is shown, not sent.
static void make_plain(struct report_block *block, bool has_utf8, struct arena *arena) {
    if (block->text) block->text = figure_plain(block->text, has_utf8, arena);
    for (size_t c = 0; c < block->column_count; ++c)
        if (block->head[c]) block->head[c] = figure_plain(block->head[c], has_utf8, arena);
    for (size_t r = 0; r < block->row_count; ++r)
        for (size_t c = 0; c < REPORT_COLUMNS_MAX; ++c)
            if (block->rows[r].cells[c])
                block->rows[r].cells[c] = figure_plain(block->rows[r].cells[c], has_utf8, arena);
}

void report_blocks_print(const struct report_blocks *blocks, bool has_color, struct strbuf *out) {
    for (size_t i = 0; i < blocks->count; ++i) {
        if (i > 0 && blocks->items[i - 1].kind != REPORT_HEADING) strbuf_add_char(out, '\n');
        make_plain(&blocks->items[i], blocks->has_utf8, blocks->arena);
        print_block(&blocks->items[i], has_color, out);
    }
}

int report_text_print(const struct result *result, const struct report_options *options, struct strbuf *out) {
    struct arena arena = {0};
    struct report_blocks blocks = {.arena = &arena, .has_utf8 = options->has_utf8};
    int status = report_content_build(result, options, &blocks);
    if (status == 0) report_blocks_print(&blocks, options->has_color, out);
    arena_fini(&arena);
    return status;
}
