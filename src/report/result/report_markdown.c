// SPDX-License-Identifier: Apache-2.0
//
// A report as Markdown for pull-request comments and step summaries. If it would exceed the host's size
// limit, rows are left out of the longest blocks, those that are kept last of all, and a note says how many.
#include "base/html_text.h"
#include "report/result/figure_text.h"
#include "report/result/markdown_text.h"
#include "report/result/report_parts.h"

static void add_between(const char *before, const char *text, const char *after, struct strbuf *out) {
    strbuf_add(out, before);
    markdown_add_text(out, text);
    strbuf_add(out, after);
}

static void add_first(const char *before, const char *text, struct strbuf *out) {
    strbuf_add(out, before);
    markdown_add_first(out, text);
    strbuf_add_char(out, '\n');
}

static void add_cells(const char *const *cells, size_t count, struct strbuf *out) {
    strbuf_add(out, "|");
    for (size_t i = 0; i < count; ++i) add_between(" ", cells[i], " |", out);
    strbuf_add(out, "\n");
}

static void add_row(const struct report_block *block, const struct report_row *row, struct strbuf *out) {
    const char *const *cells = row->cells;
    switch (block->kind) {
    case REPORT_TABLE: add_cells(cells, block->column_count, out); break;
    case REPORT_LIST: add_first("- ", cells[0], out); break;
    case REPORT_FACTS:
        add_between("- ", cells[0], ": ", out);
        add_between("", cells[1], "\n", out);
        break;
    default: // lines of a fence
        markdown_add_code(out, cells[0]);
        strbuf_add_char(out, '\n');
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
    if (is_folded) // where Markdown means nothing, but HTML does
        html_add_between(out, "<details><summary>", title, "</summary>\n\n");
    else if (block->text)
        add_between("**", block->text, "**\n\n", out);
    add_rows(block, fitting->rows_max, fitting->keeps, &left_out, out);
    if (left_out)
        strbuf_addf(out, "\n*%zu of %zu rows left out to stay within the size limit; %s prints the whole.*\n",
                    left_out, block->row_count, fitting->command);
    if (is_folded) strbuf_add(out, "\n</details>\n");
}

// "## assay: mine [`d34db33`](https://...) against `e82b208` (git:HEAD)"
static void add_heading(const struct report_block *block, struct strbuf *out) {
    strbuf_add(out, "## ");
    if (!block->row_count) markdown_add_text(out, block->text);
    for (size_t r = 0; r < block->row_count; ++r) {
        const char *const *cells = block->rows[r].cells;
        markdown_add_text(out, cells[0]);
        if (!cells[1]) continue;
        strbuf_add(out, cells[2] ? "[`" : "`");
        markdown_add_code(out, cells[1]);
        strbuf_add(out, "`");
        if (cells[2]) strbuf_addf(out, "](%s)", cells[2]);
    }
    strbuf_add_char(out, '\n');
}

static bool has_rows(const struct report_block *block, const struct fitting *fitting) {
    bool has_kept = false;
    for (size_t r = 0; r < block->row_count; ++r) has_kept = has_kept || block->rows[r].is_kept;
    return fitting->rows_max > 0 || (fitting->keeps && has_kept);
}

// Whether anything is left of what a fold holds.
static bool has_content(const struct report_block *fold, const struct fitting *fitting) {
    for (const struct report_block *block = fold + 1; block->kind != REPORT_FOLD_END; ++block)
        if (!block->row_count || has_rows(block, fitting)) return true;
    return false;
}

static void print_all(const struct report_blocks *blocks, const struct fitting *fitting, struct strbuf *out) {
    size_t gone = 0;
    bool is_open = false;
    strbuf_clear(out);
    for (size_t i = 0; i < blocks->count; ++i) {
        const struct report_block *block = &blocks->items[i];
        if (block->kind == REPORT_FOLD) is_open = has_content(block, fitting);
        if ((block->kind == REPORT_FOLD || block->kind == REPORT_FOLD_END) && !is_open) continue;
        if (block->row_count && !has_rows(block, fitting)) {
            gone += block->row_count;
            continue;
        }
        if (i > 0) strbuf_add(out, "\n");
        switch (block->kind) {
        case REPORT_HEADING: add_heading(block, out); break;
        case REPORT_VERDICT: add_between("**", block->text, "**\n", out); break;
        case REPORT_PARAGRAPH: add_first("", block->text, out); break;
        case REPORT_FOLD: // where Markdown means nothing, but HTML does
            html_add_between(out, "<details><summary>", block->text, "</summary>\n");
            break;
        case REPORT_FOLD_END: strbuf_add(out, "</details>\n"); break;
        default: add_block(block, fitting, out);
        }
    }
    if (gone)
        strbuf_addf(out,
                    "\n*Left out to stay within the size limit: %zu rows of other parts; %s prints them.*\n",
                    gone, fitting->command);
}

static size_t longest_block(const struct report_blocks *blocks) {
    size_t rows = 0;
    for (size_t i = 0; i < blocks->count; ++i)
        if (blocks->items[i].row_count > rows) rows = blocks->items[i].row_count;
    return rows;
}

// Leaves out more and more rows until the text fits, at last all but those that are kept. Where even these
// are too many, they are treated as the others.
static void print_fitting(const struct report_blocks *blocks, size_t limit_bytes, const char *command,
                          struct strbuf *out) {
    for (int keeps = 1; keeps >= 0; --keeps) {
        struct fitting fitting = {longest_block(blocks), keeps, command};
        print_all(blocks, &fitting, out);
        while (limit_bytes && out->length > limit_bytes && fitting.rows_max > 0) {
            fitting.rows_max = fitting.rows_max * 3 / 4;
            print_all(blocks, &fitting, out);
        }
        if (!limit_bytes || out->length <= limit_bytes) return;
    }
}

// "`assay report RUN`"
static const char *command_for_all(const struct result *result, struct arena *arena) {
    struct strbuf text = {0};
    strbuf_add(&text, "`assay report ");
    markdown_add_code(&text, figure_plain(str_or(result->run_id, "RUN"), true, arena));
    strbuf_add_char(&text, '`');
    const char *ret = arena_strdup(arena, text.text);
    strbuf_fini(&text);
    return ret;
}

void report_markdown_add(struct report_blocks *blocks, const struct result *result,
                         const struct report_options *options, struct strbuf *out) {
    struct strbuf text = {0};
    report_blocks_make_plain(blocks, true);
    print_fitting(blocks, options->limit_bytes, command_for_all(result, blocks->arena), &text);
    const bool is_too_long = options->limit_bytes && text.length > options->limit_bytes;
    strbuf_add_bytes(out, strbuf_text(&text),
                     is_too_long ? str_fitting(text.text, options->limit_bytes) : text.length);
    strbuf_fini(&text);
}

int report_markdown_print(const struct result *result, const struct report_options *options,
                          struct strbuf *out) {
    struct arena arena = {0};
    struct report_blocks blocks = {.arena = &arena, .has_wide_tables = true};
    const int status = report_comment_build(result, options, &blocks);
    if (status == 0) report_markdown_add(&blocks, result, options, out);
    arena_fini(&arena);
    return status;
}
