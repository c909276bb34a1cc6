// SPDX-License-Identifier: Apache-2.0
//
// See html_blocks.h.
#include "report/html/html_blocks.h"

#include "base/html_text.h"

// The class of a styled cell; "" for a plain one.
static const char *style_class(enum term_style style) {
    return style == TERM_GREEN    ? " class=\"held\""
           : style == TERM_RED    ? " class=\"bad\""
           : style == TERM_YELLOW ? " class=\"unsure\""
                                  : "";
}

static void add_head(const struct report_block *block, struct strbuf *out) {
    strbuf_add(out, "<thead><tr>");
    for (size_t i = 0; i < block->column_count; ++i) {
        strbuf_addf(out, "<th scope=\"col\"%s>", block->alignment[i] == 'r' ? " class=\"r\"" : "");
        html_add_text(out, block->head[i]);
        strbuf_add(out, "</th>");
    }
    strbuf_add(out, "</tr></thead>\n");
}

static void add_table(const struct report_block *block, struct strbuf *out) {
    strbuf_add(out, "<div class=\"scroll\" role=\"group\" tabindex=\"0\" aria-label=\"");
    html_add_text(out, str_or(block->text, "table of figures"));
    strbuf_add(out, "\"><table>");
    add_head(block, out);
    strbuf_add(out, "<tbody>\n");
    for (size_t r = 0; r < block->row_count; ++r) {
        const struct report_row *row = &block->rows[r];
        strbuf_add(out, "<tr>");
        for (size_t i = 0; i < block->column_count; ++i) {
            const bool is_right = block->alignment[i] == 'r';
            const bool is_styled = row->style && row->style_column == i;
            strbuf_add(out, i == 0 ? "<th scope=\"row\">" : is_right ? "<td class=\"r\">" : "<td>");
            if (is_styled) strbuf_addf(out, "<span%s>", style_class(row->style));
            html_add_text(out, row->cells[i]);
            strbuf_add(out, is_styled ? "</span>" : "");
            strbuf_add(out, i == 0 ? "</th>" : "</td>");
        }
        strbuf_add(out, "</tr>\n");
    }
    strbuf_add(out, "</tbody></table></div>\n");
}

static void add_rows(const struct report_block *block, struct strbuf *out) {
    static const struct {
        const char *begin, *before, *between, *after, *end;
    } around[REPORT_BLOCK_COUNT] = {
        [REPORT_FACTS] = {"<dl>\n", "<div><dt>", "</dt><dd>", "</dd></div>\n", "</dl>\n"},
        [REPORT_LIST] = {"<ul>\n", "<li>", "", "</li>\n", "</ul>\n"},
        [REPORT_LINES] = {"<pre tabindex=\"0\">", "", "", "\n", "</pre>\n"},
        [REPORT_COMMANDS] = {"<ul class=\"commands\">\n", "<li><code>", "", "</code></li>\n", "</ul>\n"}};
    strbuf_add(out, around[block->kind].begin);
    for (size_t r = 0; r < block->row_count; ++r) {
        strbuf_add(out, around[block->kind].before);
        html_add_text(out, block->rows[r].cells[0]);
        strbuf_add(out, around[block->kind].between);
        if (block->kind == REPORT_FACTS) html_add_text(out, block->rows[r].cells[1]);
        strbuf_add(out, around[block->kind].after);
    }
    strbuf_add(out, around[block->kind].end);
}

static void add_title(const struct report_block *block, int level, struct strbuf *out) {
    if (!block->text) return;
    strbuf_addf(out, "<h%d>", level);
    html_add_text(out, block->text);
    strbuf_addf(out, "</h%d>\n", level);
}

void html_blocks_add(const struct report_blocks *blocks, int level, struct strbuf *out) {
    for (size_t i = 0; i < blocks->count; ++i) {
        const struct report_block *block = &blocks->items[i];
        switch (block->kind) {
        case REPORT_HEADING: add_title(block, level, out); break;
        case REPORT_VERDICT:
        case REPORT_PARAGRAPH: html_add_between(out, "<p>", block->text, "</p>\n"); break;
        case REPORT_TABLE:
            add_title(block, level, out);
            add_table(block, out);
            break;
        default: add_title(block, level, out); add_rows(block, out);
        }
    }
}
