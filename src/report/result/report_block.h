// SPDX-License-Identifier: Apache-2.0
//
// A report as a list of blocks: headings, sentences, lists, tables, commands. Text and Markdown are printed
// from the same blocks.
#ifndef REPORT_RESULT_REPORT_BLOCK_H
#define REPORT_RESULT_REPORT_BLOCK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/term.h"

#define REPORT_COLUMNS_MAX 20

enum report_block_kind {
    REPORT_BLOCK_INVALID = 0,
    REPORT_HEADING,
    REPORT_VERDICT, // the one line that matters
    REPORT_PARAGRAPH,
    REPORT_FACTS,    // a table of two columns without a head: what and how much
    REPORT_LIST,     // one item a row, first cell
    REPORT_TABLE,    // head and rows
    REPORT_LINES,    // preformatted lines, first cell each
    REPORT_COMMANDS, // shell commands, first cell each
    REPORT_FOLD,     // Markdown folds away what follows up to REPORT_FOLD_END; has a title
    REPORT_FOLD_END,
    REPORT_BLOCK_COUNT
};

struct report_row {
    const char *cells[REPORT_COLUMNS_MAX]; // NULL: empty
    enum term_style style;                 // of the cell in style_column
    size_t style_column;
    bool is_kept; // stays where rows are left out for a size limit: a regression, a wrong result
};

struct report_block {
    enum report_block_kind kind;
    // Heading, verdict, paragraph; of the others a title or NULL. A heading with rows is in Markdown made of
    // them: text, then a commit as code or NULL, and the address of its page or NULL.
    const char *text;
    bool is_folded;        // has a title, and Markdown shows nothing else until it is opened
    enum term_style style; // of a verdict
    size_t column_count;
    char alignment[REPORT_COLUMNS_MAX + 1]; // "lrr"
    const char *head[REPORT_COLUMNS_MAX];
    size_t row_count, row_capacity;
    struct report_row *rows;
};

struct report_blocks {
    struct arena *arena;  // everything lives here
    bool has_utf8;        // as text: what is not ASCII may be printed
    bool has_wide_tables; // tables of many columns too: Markdown scrolls, a terminal does not
    size_t count, capacity;
    struct report_block *items;
};

// The pointer is valid until the next block is added.
struct report_block *report_block_add(struct report_blocks *blocks, enum report_block_kind kind,
                                      const char *text);
// head: a title for each letter of alignment, which is as in term_table_new(). alignment "", head NULL:
// columns are added next.
struct report_block *report_table_add(struct report_blocks *blocks, const char *alignment,
                                      const char *const *head);
// One more column on the right, before the table has rows.
void report_column_add(struct report_block *table, char alignment, const char *head);
struct report_row *report_row_add(struct report_blocks *blocks, struct report_block *block);
// A row whose first cell is text (lists, lines, commands). Below, report_fact_add: a row with name and value;
// nothing if the value is empty.
void report_item_add(struct report_blocks *blocks, struct report_block *block, const char *text);
void report_item_addf(struct report_blocks *blocks, struct report_block *block, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// A row for each line of the text; lines end with a newline.
void report_lines_add(struct report_blocks *blocks, struct report_block *block, const char *text);
void report_fact_add(struct report_blocks *blocks, struct report_block *block, const char *name,
                     const char *value);
// Of a list of "NAME: SENTENCE": a sentence that stands there more than REPORT_SAME_MAX times is said once,
// in the place of its first, with the names: "a, b, c and 5 more: SENTENCE". In report_fold.c.
#define REPORT_SAME_MAX 3
void report_list_fold(struct report_blocks *blocks, struct report_block *block);
// The same whatever the sentence's numbers, of which the least and the greatest are said: "a, b, c and 5 more
// (20 times): 4.4 to 17.1 % apart". Not for a sentence that advises by its numbers.
void report_list_fold_numbers(struct report_blocks *blocks, struct report_block *block);
// Takes out the columns of a table that are empty in every row; the first one stays.
void report_table_drop_empty(struct report_block *block);
// Takes out the block, which is the last one, if it has no rows.
void report_block_drop_empty(struct report_blocks *blocks, const struct report_block *block);

// Names, reasons and kernels' words come from files of any origin: every text and cell becomes one plain line
// (base/plain_text.h). Printers do this first.
void report_blocks_make_plain(struct report_blocks *blocks, bool has_utf8);

// The blocks as text for a terminal.
void report_blocks_print(struct report_blocks *blocks, bool has_color, struct strbuf *out);

#endif
