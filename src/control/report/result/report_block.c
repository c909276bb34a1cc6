// SPDX-License-Identifier: Apache-2.0
//
// How are the blocks of a report put together? Growing arrays in an arena, nothing more.
#include "control/report/result/report_block.h"

#include <string.h>

#include "base/err.h"

struct report_block *report_block_add(struct report_blocks *blocks, enum report_block_kind kind,
                                      const char *text) {
    if (blocks->count == blocks->capacity) {
        size_t capacity = blocks->capacity ? 2 * blocks->capacity : 16;
        struct report_block *grown = arena_array(blocks->arena, capacity, sizeof *grown);
        if (blocks->count) memcpy(grown, blocks->items, blocks->count * sizeof *grown);
        blocks->items = grown;
        blocks->capacity = capacity;
    }
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
    if (count == 0 || count > REPORT_COLUMNS_MAX) BUG("a table of %zu columns", count);
    struct report_block *block = report_block_add(blocks, REPORT_TABLE, NULL);
    block->column_count = count;
    memcpy(block->alignment, alignment, count + 1);
    for (size_t i = 0; i < count; ++i) block->head[i] = head[i];
    return block;
}

struct report_row *report_row_add(struct report_blocks *blocks, struct report_block *block) {
    if (block->row_count == block->row_capacity) {
        size_t capacity = block->row_capacity ? 2 * block->row_capacity : 8;
        struct report_row *grown = arena_array(blocks->arena, capacity, sizeof *grown);
        if (block->row_count) memcpy(grown, block->rows, block->row_count * sizeof *grown);
        block->rows = grown;
        block->row_capacity = capacity;
    }
    return &block->rows[block->row_count++];
}

void report_item_add(struct report_blocks *blocks, struct report_block *block, const char *text) {
    report_row_add(blocks, block)->cells[0] = text;
}

void report_fact_add(struct report_blocks *blocks, struct report_block *block, const char *name,
                     const char *value) {
    if (!value || !*value) return;
    struct report_row *row = report_row_add(blocks, block);
    row->cells[0] = name;
    row->cells[1] = value;
}

static bool is_column_empty(const struct report_block *block, size_t column) {
    for (size_t r = 0; r < block->row_count; ++r)
        if (block->rows[r].cells[column] && *block->rows[r].cells[column]) return false;
    return true;
}

static void drop_column(struct report_block *block, size_t column) {
    size_t after = block->column_count - column - 1;
    memmove(&block->head[column], &block->head[column + 1], after * sizeof *block->head);
    memmove(&block->alignment[column], &block->alignment[column + 1], after + 1);
    for (size_t r = 0; r < block->row_count; ++r) {
        struct report_row *row = &block->rows[r];
        memmove(&row->cells[column], &row->cells[column + 1], after * sizeof *row->cells);
        if (row->style_column > column) --row->style_column;
    }
    --block->column_count;
}

void report_table_drop_empty(struct report_block *block) {
    for (size_t column = block->column_count; column-- > 1;)
        if (is_column_empty(block, column)) drop_column(block, column);
}
