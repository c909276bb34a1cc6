// SPDX-License-Identifier: Apache-2.0
//
// A report as Markdown for pull-request comments and step summaries. Where it would exceed the host's size,
// rows are cut from the longest blocks, and a note says how many.
#include <string.h>

#include "control/report/result/report_content.h"
#include "control/report/result/report_render.h"

#define ROWS_KEPT_MIN 1 // of a block, however small the limit

// What would end a cell or begin markup, escaped; line breaks become blanks.
static void add_escaped(const char *text, struct strbuf *out) {
    for (; text && *text; ++text) {
        bool is_special = strchr("\\`*_{}[]<>|#", *text) != NULL;
        if (*text == '\n')
            strbuf_add_char(out, ' ');
        else
            strbuf_addf(out, is_special ? "\\%c" : "%c", *text);
    }
}

static void add_title(const struct report_block *block, struct strbuf *out) {
    if (!block->text) return;
    strbuf_add(out, "**");
    add_escaped(block->text, out);
    strbuf_add(out, "**\n\n");
}

static void add_cells(const char *const *cells, size_t count, struct strbuf *out) {
    strbuf_add(out, "|");
    for (size_t i = 0; i < count; ++i) {
        strbuf_add(out, " ");
        add_escaped(cells[i], out);
        strbuf_add(out, " |");
    }
    strbuf_add(out, "\n");
}

static void add_table(const struct report_block *block, size_t row_count, struct strbuf *out) {
    add_cells(block->head, block->column_count, out);
    strbuf_add(out, "|");
    for (size_t i = 0; i < block->column_count; ++i)
        strbuf_add(out, block->alignment[i] == 'r' ? " ---: |" : " --- |");
    strbuf_add(out, "\n");
    for (size_t r = 0; r < row_count; ++r) add_cells(block->rows[r].cells, block->column_count, out);
}

static void add_items(const struct report_block *block, size_t row_count, struct strbuf *out) {
    for (size_t r = 0; r < row_count; ++r) {
        strbuf_add(out, "- ");
        add_escaped(block->rows[r].cells[0], out);
        strbuf_add(out, "\n");
    }
}

// Where it was measured: folded away, since most readers want the table.
static void add_facts(const struct report_block *block, size_t row_count, struct strbuf *out) {
    strbuf_add(out, "<details><summary>Where and how</summary>\n\n");
    for (size_t r = 0; r < row_count; ++r) {
        strbuf_add(out, "- ");
        add_escaped(block->rows[r].cells[0], out);
        strbuf_add(out, ": ");
        add_escaped(block->rows[r].cells[1], out);
        strbuf_add(out, "\n");
    }
    strbuf_add(out, "\n</details>\n");
}

// A fence longer than any run of backquotes inside is never needed: three of them are taken out of the text.
static void add_fenced(const struct report_block *block, size_t row_count, struct strbuf *out) {
    strbuf_add(out, block->kind == REPORT_COMMANDS ? "```sh\n" : "```text\n");
    for (size_t r = 0; r < row_count; ++r) {
        for (const char *c = block->rows[r].cells[0]; c && *c; ++c)
            strbuf_add_char(out, *c == '`' ? '\'' : *c);
        strbuf_add(out, "\n");
    }
    strbuf_add(out, "```\n");
}

// command: what prints the whole report.
static void add_block(const struct report_block *block, size_t row_count, const char *command,
                      struct strbuf *out) {
    switch (block->kind) {
    case REPORT_HEADING:
        strbuf_add(out, "## ");
        add_escaped(block->text, out);
        strbuf_add(out, "\n");
        return;
    case REPORT_VERDICT:
        strbuf_add(out, "**");
        add_escaped(block->text, out);
        strbuf_add(out, "**\n");
        return;
    case REPORT_PARAGRAPH:
        add_escaped(block->text, out);
        strbuf_add(out, "\n");
        return;
    case REPORT_FACTS: add_facts(block, row_count, out); break;
    case REPORT_TABLE:
        add_title(block, out);
        add_table(block, row_count, out);
        break;
    case REPORT_LIST:
        add_title(block, out);
        add_items(block, row_count, out);
        break;
    default: add_title(block, out); add_fenced(block, row_count, out);
    }
    if (row_count < block->row_count)
        strbuf_addf(out,
                    "\n*%zu of %zu rows left out to stay within the size limit; `%s` prints the whole.*\n",
                    block->row_count - row_count, block->row_count, command);
}

// rows_max: at most so many rows of any block.
static void print_all(const struct report_blocks *blocks, size_t rows_max, const char *command,
                      struct strbuf *out) {
    for (size_t i = 0; i < blocks->count; ++i) {
        const struct report_block *block = &blocks->items[i];
        if (i > 0) strbuf_add(out, "\n");
        add_block(block, block->row_count < rows_max ? block->row_count : rows_max, command, out);
    }
}

static size_t longest_block(const struct report_blocks *blocks) {
    size_t longest = ROWS_KEPT_MIN;
    for (size_t i = 0; i < blocks->count; ++i)
        if (blocks->items[i].row_count > longest) longest = blocks->items[i].row_count;
    return longest;
}

int report_markdown_print(const struct result *result, const struct report_options *options,
                          struct strbuf *out) {
    struct arena arena = {0};
    struct report_blocks blocks = {.arena = &arena, .has_wide_tables = true};
    struct strbuf text = {0};
    int status = report_content_build(result, options, &blocks);
    if (status == 0) {
        size_t rows_max = longest_block(&blocks);
        const char *command =
            arena_format(&arena, "assay report %s", result->run_id ? result->run_id : "RUN");
        print_all(&blocks, rows_max, command, &text);
        while (options->limit_bytes && text.length > options->limit_bytes && rows_max > ROWS_KEPT_MIN) {
            rows_max = rows_max * 3 / 4 > ROWS_KEPT_MIN ? rows_max * 3 / 4 : ROWS_KEPT_MIN;
            strbuf_clear(&text);
            print_all(&blocks, rows_max, command, &text);
        }
        size_t length = text.length;
        if (options->limit_bytes && length > options->limit_bytes)
            length = options->limit_bytes; // a limit is a limit
        strbuf_add_bytes(out, strbuf_text(&text), length);
    }
    strbuf_fini(&text);
    arena_fini(&arena);
    return status;
}
