// SPDX-License-Identifier: Apache-2.0
//
// What a list says often, said once: sentences of several names that are equal, or equal but for their
// numbers.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "report/result/report_block.h"

// A row of a list, "NAME: SENTENCE".
struct said {
    const char *item, *sentence; // NULL: no name stands before it
    const char *shape;           // the sentence, or it with NUMBER for each number
    const char *at;              // in the sentence, behind the numbers that were looked at
    size_t row;
};

#define NUMBER '\1'

// Characters of the number at `at`, a word of its own: "5.0", not the digits of "s512" or "10:30". 0: none.
static size_t number_length(const char *text, const char *at) {
    if (at > text && !strchr(" (", at[-1])) return 0;
    size_t length = strspn(at, "0123456789");
    if (!length) return 0;
    if (at[length] == '.' && isdigit((unsigned char)at[length + 1]))
        length += 1 + strspn(at + length + 1, "0123456789");
    return !at[length] || strchr(" %),;", at[length]) ? length : 0;
}

static const char *shape_of(const char *sentence, struct arena *arena) {
    char *ret = arena_strdup(arena, sentence), *out = ret;
    for (const char *at = sentence; *at;) {
        const size_t length = number_length(sentence, at);
        *out++ = length ? NUMBER : *at == NUMBER ? ' ' : *at;
        at += length ? length : 1;
    }
    *out = 0;
    return ret;
}

static struct said said_of(const char *item, size_t row, bool any_numbers, struct arena *arena) {
    const char *colon = strstr(item, ": ");
    const char *sentence = colon ? colon + 2 : NULL;
    const char *shape = !sentence ? "" : any_numbers ? shape_of(sentence, arena) : sentence;
    return (struct said){item, sentence, shape, sentence, row};
}

// Of rows without a name, which have no shape, none is that of a row with one.
static int compare_shapes(const struct said *a, const struct said *b) {
    const int named = (a->sentence != NULL) - (b->sentence != NULL);
    return named ? named : strcmp(a->shape, b->shape);
}

static int by_shape(const void *left, const void *right) {
    const struct said *a = left, *b = right;
    const int order = compare_shapes(a, b);
    return order ? order : (a->row > b->row) - (a->row < b->row);
}

static int name_length(const struct said *said) {
    return (int)(said->sentence - 2 - said->item);
}

static int compare_names(const struct said *a, const struct said *b) {
    const int rest = name_length(a) - name_length(b);
    const int order = memcmp(a->item, b->item, (size_t)(rest < 0 ? name_length(a) : name_length(b)));
    return order ? order : rest;
}

static int by_row(const void *left, const void *right) {
    const struct said *a = *(const struct said *const *)left, *b = *(const struct said *const *)right;
    return (a->row > b->row) - (a->row < b->row);
}

static int by_name(const void *left, const void *right) {
    const int order = compare_names(*(const struct said *const *)left, *(const struct said *const *)right);
    return order ? order : by_row(left, right);
}

// "a, b, c and 5 more"; behind it how often they say it, if one says it more than once.
static void add_names(struct strbuf *text, const struct said *said, size_t count, struct arena *arena) {
    const struct said **names = arena_array(arena, count, sizeof *names);
    size_t name_count = 0;
    for (size_t i = 0; i < count; ++i) names[i] = &said[i];
    qsort(names, count, sizeof *names, by_name);
    for (size_t i = 0; i < count; ++i) { // the first row of each
        if (name_count && compare_names(names[name_count - 1], names[i]) == 0) continue;
        names[name_count++] = names[i];
    }
    qsort(names, name_count, sizeof *names, by_row);
    for (size_t i = 0; i < name_count && i < REPORT_SAME_MAX; ++i)
        strbuf_addf(text, "%s%.*s", i ? ", " : "", name_length(names[i]), names[i]->item);
    if (name_count > REPORT_SAME_MAX) strbuf_addf(text, " and %zu more", name_count - REPORT_SAME_MAX);
    if (name_count < count) strbuf_addf(text, " (%zu times)", count);
}

// A number as the sentence has it.
struct number {
    const char *text;
    size_t length;
};

static double value_of(struct number number) {
    return strtod(number.text, NULL);
}

static struct number next_number(struct said *said) {
    size_t length;
    while ((length = number_length(said->sentence, said->at)) == 0) ++said->at;
    const struct number ret = {said->at, length};
    said->at += length;
    return ret;
}

// The next one of all sentences: "4.4", or "4.4 to 17.1" where they differ.
static void add_number(struct strbuf *text, struct said *said, size_t count) {
    struct number low = next_number(&said[0]), high = low;
    for (size_t i = 1; i < count; ++i) {
        const struct number number = next_number(&said[i]);
        if (value_of(number) < value_of(low)) low = number;
        if (value_of(number) > value_of(high)) high = number;
    }
    strbuf_add_bytes(text, low.text, low.length);
    if (!(value_of(low) < value_of(high))) return;
    strbuf_add(text, " to ");
    strbuf_add_bytes(text, high.text, high.length);
}

static const char *fold(struct said *said, size_t count, bool any_numbers, struct arena *arena) {
    struct strbuf text = {0};
    add_names(&text, said, count, arena);
    strbuf_add(&text, ": ");
    for (const char *at = said->shape; *at; ++at) {
        if (any_numbers && *at == NUMBER)
            add_number(&text, said, count);
        else
            strbuf_add_char(&text, *at);
    }
    const char *ret = arena_strdup(arena, strbuf_text(&text));
    strbuf_fini(&text);
    return ret;
}

static void fold_list(struct report_blocks *blocks, struct report_block *block, bool any_numbers) {
    const size_t all = block->row_count;
    struct said *said = arena_array(blocks->arena, all + 1, sizeof *said);
    size_t kept = 0;
    for (size_t r = 0; r < all; ++r)
        said[r] = said_of(block->rows[r].cells[0], r, any_numbers, blocks->arena);
    qsort(said, all, sizeof *said, by_shape);
    for (size_t first = 0, end; first < all; first = end) {
        for (end = first + 1; end < all && compare_shapes(&said[end], &said[first]) == 0;) ++end;
        if (!said[first].sentence || end - first <= REPORT_SAME_MAX) continue;
        block->rows[said[first].row].cells[0] = fold(&said[first], end - first, any_numbers, blocks->arena);
        for (size_t i = first + 1; i < end; ++i) block->rows[said[i].row].cells[0] = NULL;
    }
    for (size_t r = 0; r < all; ++r)
        if (block->rows[r].cells[0]) block->rows[kept++] = block->rows[r];
    block->row_count = kept;
}

void report_list_fold(struct report_blocks *blocks, struct report_block *block) {
    fold_list(blocks, block, false);
}

void report_list_fold_numbers(struct report_blocks *blocks, struct report_block *block) {
    fold_list(blocks, block, true);
}
