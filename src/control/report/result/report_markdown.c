// SPDX-License-Identifier: Apache-2.0
//
// A report as Markdown for pull-request comments and step summaries. If it would exceed the host's size
// limit, rows are cut from the longest blocks, and a note says how many.
#include <string.h>

#include "control/report/result/figure_text.h"
#include "control/report/result/report_parts.h"

#define ROWS_KEPT_MIN 1 // of a block, however small the limit

// Escapes what would end a cell or begin markup, entities ("&#27;" is an escape character) among it.
static void add_escaped(const char *before, const char *text, const char *after, struct strbuf *out) {
    strbuf_add(out, before);
    for (; text && *text; ++text) {
        const bool is_special = strchr("\\`*_{}[]<>|#&", *text) != NULL;
        strbuf_addf(out, is_special ? "\\%c" : "%c", *text);
    }
    strbuf_add(out, after);
}

static void add_cells(const char *const *cells, size_t count, struct strbuf *out) {
    strbuf_add(out, "|");
    for (size_t i = 0; i < count; ++i) add_escaped(" ", cells[i], " |", out);
    strbuf_add(out, "\n");
}

// Facts are folded away, since most readers want the table.
static void add_rows(const struct report_block *block, size_t row_count, struct strbuf *out) {
    static const char *const around[REPORT_BLOCK_COUNT][2] = {
        [REPORT_FACTS] = {"<details><summary>Where and how</summary>\n\n", "\n</details>\n"},
        [REPORT_LINES] = {"```text\n", "```\n"},
        [REPORT_COMMANDS] = {"```sh\n", "```\n"}};
    strbuf_add(out, str_or(around[block->kind][0], ""));
    if (block->kind == REPORT_TABLE) {
        add_cells(block->head, block->column_count, out);
        strbuf_add(out, "|");
        for (size_t i = 0; i < block->column_count; ++i)
            strbuf_add(out, block->alignment[i] == 'r' ? " ---: |" : " --- |");
        strbuf_add(out, "\n");
    }
    for (size_t r = 0; r < row_count; ++r) {
        const char *const *cells = block->rows[r].cells;
        switch (block->kind) {
        case REPORT_TABLE: add_cells(cells, block->column_count, out); break;
        case REPORT_LIST: add_escaped("- ", cells[0], "\n", out); break;
        case REPORT_FACTS:
            add_escaped("- ", cells[0], ": ", out);
            add_escaped("", cells[1], "\n", out);
            break;
        default: // lines of a fence, which no backquote inside may end
            for (const char *c = cells[0]; c && *c; ++c) strbuf_add_char(out, *c == '`' ? '\'' : *c);
            strbuf_add(out, "\n");
        }
    }
    strbuf_add(out, str_or(around[block->kind][1], ""));
}

// At most rows_max rows of every block; command prints the whole report.
static void print_all(const struct report_blocks *blocks, size_t rows_max, const char *command,
                      struct strbuf *out) {
    for (size_t i = 0; i < blocks->count; ++i) {
        const struct report_block *block = &blocks->items[i];
        const size_t row_count = block->row_count < rows_max ? block->row_count : rows_max;
        if (i > 0) strbuf_add(out, "\n");
        switch (block->kind) {
        case REPORT_HEADING: add_escaped("## ", block->text, "\n", out); continue;
        case REPORT_VERDICT: add_escaped("**", block->text, "**\n", out); continue;
        case REPORT_PARAGRAPH: add_escaped("", block->text, "\n", out); continue;
        default:
            if (block->text) add_escaped("**", block->text, "**\n\n", out);
            add_rows(block, row_count, out);
        }
        if (row_count < block->row_count)
            strbuf_addf(
                out, "\n*%zu of %zu rows left out to stay within the size limit; `%s` prints the whole.*\n",
                block->row_count - row_count, block->row_count, command);
    }
}

int report_markdown_print(const struct result *result, const struct report_options *options,
                          struct strbuf *out) {
    struct arena arena = {0};
    struct report_blocks blocks = {.arena = &arena, .has_wide_tables = true};
    struct strbuf text = {0};
    int status = report_content_build(result, options, &blocks);
    if (status == 0) {
        report_blocks_make_plain(&blocks, true);
        size_t rows_max = ROWS_KEPT_MIN;
        for (size_t i = 0; i < blocks.count; ++i)
            if (blocks.items[i].row_count > rows_max) rows_max = blocks.items[i].row_count;
        const char *command = figure_plain(
            arena_format(&arena, "assay report %s", str_or(result->run_id, "RUN")), true, &arena);
        print_all(&blocks, rows_max, command, &text);
        while (options->limit_bytes && text.length > options->limit_bytes && rows_max > ROWS_KEPT_MIN) {
            rows_max = rows_max * 3 / 4 > ROWS_KEPT_MIN ? rows_max * 3 / 4 : ROWS_KEPT_MIN;
            strbuf_clear(&text);
            print_all(&blocks, rows_max, command, &text);
        }
        const bool is_too_long = options->limit_bytes && text.length > options->limit_bytes;
        strbuf_add_bytes(out, strbuf_text(&text), is_too_long ? options->limit_bytes : text.length);
    }
    strbuf_fini(&text);
    arena_fini(&arena);
    return status;
}
