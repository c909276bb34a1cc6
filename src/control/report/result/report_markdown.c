// SPDX-License-Identifier: Apache-2.0
//
// A report as Markdown for pull-request comments and step summaries. If it would exceed the host's size
// limit, rows are left out of the longest blocks, those that are kept last of all, and a note says how many.
#include <ctype.h>
#include <string.h>

#include "control/report/result/figure_text.h"
#include "control/report/result/report_parts.h"

#define ROWS_KEPT_MIN 1 // of a block, however small the limit

// Code hosts link "@name", "#12" and "!12" in what they have rendered, escaped or not, and tell whom it
// names: a comment of HTML between both characters keeps them text.
static bool is_reference(const char *text) {
    return strchr("@#!", *text) && isalnum((unsigned char)text[1]);
}

// Escapes what would end a cell or begin markup, entities ("&#27;" is an escape character) among it.
static void add_escaped(const char *before, const char *text, const char *after, struct strbuf *out) {
    strbuf_add(out, before);
    for (; text && *text; ++text) {
        const bool is_special = strchr("\\`*_{}[]<>|#&", *text) != NULL;
        strbuf_addf(out, is_special ? "\\%c" : "%c", *text);
        if (is_reference(text)) strbuf_add(out, "<!-- -->");
    }
    strbuf_add(out, after);
}

static void add_cells(const char *const *cells, size_t count, struct strbuf *out) {
    strbuf_add(out, "|");
    for (size_t i = 0; i < count; ++i) add_escaped(" ", cells[i], " |", out);
    strbuf_add(out, "\n");
}

static void add_row(const struct report_block *block, const struct report_row *row, struct strbuf *out) {
    const char *const *cells = row->cells;
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

// What is left of a block: its first rows, and all that are kept. *ret_left_out: how many are not there.
static void add_rows(const struct report_block *block, size_t rows_max, bool keeps, size_t *ret_left_out,
                     struct strbuf *out) {
    static const char *const fences[REPORT_BLOCK_COUNT][2] = {
        [REPORT_LINES] = {"```text\n", "```\n"}, [REPORT_COMMANDS] = {"```sh\n", "```\n"}};
    *ret_left_out = 0;
    strbuf_add(out, str_or(fences[block->kind][0], ""));
    if (block->kind == REPORT_TABLE) {
        add_cells(block->head, block->column_count, out);
        strbuf_add(out, "|");
        for (size_t i = 0; i < block->column_count; ++i)
            strbuf_add(out, block->alignment[i] == 'r' ? " ---: |" : " --- |");
        strbuf_add(out, "\n");
    }
    for (size_t r = 0; r < block->row_count; ++r) {
        if (r < rows_max || (keeps && block->rows[r].is_kept))
            add_row(block, &block->rows[r], out);
        else
            ++*ret_left_out;
    }
    strbuf_add(out, str_or(fences[block->kind][1], ""));
}

// How much of a report fits.
struct fitting {
    size_t rows_max;     // of every block
    bool keeps;          // and the rows that are kept
    const char *command; // prints the whole report
};

static void add_block(const struct report_block *block, const struct fitting *fitting, struct strbuf *out) {
    size_t left_out;
    const char *title = block->kind == REPORT_FACTS ? "Where and how" : block->text; // folded away, too
    const bool is_folded = block->is_folded || block->kind == REPORT_FACTS;
    if (is_folded)
        add_escaped("<details><summary>", title, "</summary>\n\n", out);
    else if (block->text)
        add_escaped("**", block->text, "**\n\n", out);
    add_rows(block, fitting->rows_max, fitting->keeps, &left_out, out);
    if (left_out)
        strbuf_addf(out,
                    "\n*%zu of %zu rows left out to stay within the size limit; `%s` prints the whole.*\n",
                    left_out, block->row_count, fitting->command);
    if (is_folded) strbuf_add(out, "\n</details>\n");
}

static void print_all(const struct report_blocks *blocks, const struct fitting *fitting, struct strbuf *out) {
    strbuf_clear(out);
    for (size_t i = 0; i < blocks->count; ++i) {
        const struct report_block *block = &blocks->items[i];
        if (i > 0) strbuf_add(out, "\n");
        switch (block->kind) {
        case REPORT_HEADING: add_escaped("## ", block->text, "\n", out); break;
        case REPORT_VERDICT: add_escaped("**", block->text, "**\n", out); break;
        case REPORT_PARAGRAPH: add_escaped("", block->text, "\n", out); break;
        default: add_block(block, fitting, out);
        }
    }
}

static size_t longest_block(const struct report_blocks *blocks) {
    size_t rows = ROWS_KEPT_MIN;
    for (size_t i = 0; i < blocks->count; ++i)
        if (blocks->items[i].row_count > rows) rows = blocks->items[i].row_count;
    return rows;
}

// Leaves out more and more rows until the text fits. Where even the rows that are kept are too many, they are
// treated as the others.
static void print_fitting(const struct report_blocks *blocks, size_t limit_bytes, const char *command,
                          struct strbuf *out) {
    for (int keeps = 1; keeps >= 0; --keeps) {
        struct fitting fitting = {longest_block(blocks), keeps, command};
        print_all(blocks, &fitting, out);
        while (limit_bytes && out->length > limit_bytes && fitting.rows_max > ROWS_KEPT_MIN) {
            fitting.rows_max =
                fitting.rows_max * 3 / 4 > ROWS_KEPT_MIN ? fitting.rows_max * 3 / 4 : ROWS_KEPT_MIN;
            print_all(blocks, &fitting, out);
        }
        if (!limit_bytes || out->length <= limit_bytes) return;
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
        const char *command = figure_plain(
            arena_format(&arena, "assay report %s", str_or(result->run_id, "RUN")), true, &arena);
        print_fitting(&blocks, options->limit_bytes, command, &text);
        const bool is_too_long = options->limit_bytes && text.length > options->limit_bytes;
        strbuf_add_bytes(out, strbuf_text(&text), is_too_long ? options->limit_bytes : text.length);
    }
    strbuf_fini(&text);
    arena_fini(&arena);
    return status;
}
