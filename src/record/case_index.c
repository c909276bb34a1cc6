// SPDX-License-Identifier: Apache-2.0
//
// Index of a result's cases: sorted pointers and a binary search. Equal cases sort in the document's
// order, by address, since all cases lie in one array.
#include "record/case_index.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"

// strcmp, with NULL sorting before any text.
static int text_compare(const char *a, const char *b) {
    if (!a || !b) return (a != NULL) - (b != NULL);
    return strcmp(a, b);
}

static int identity_compare(const struct result_case *a, const struct result_case *b) {
    int order = strcmp(a->problem.name, b->problem.name);
    if (order == 0) order = text_compare(a->distribution, b->distribution);
    return order ? order : (a->memory_layout > b->memory_layout) - (a->memory_layout < b->memory_layout);
}

static int address_compare(const struct result_case *a, const struct result_case *b) {
    return (a > b) - (a < b);
}

static int by_identity(const void *left, const void *right) {
    const struct case_entry *a = left, *b = right;
    int order = identity_compare(a->item, b->item);
    return order ? order : address_compare(a->item, b->item);
}

static int by_short_name(const void *left, const void *right) {
    const struct case_entry *a = left, *b = right;
    int order = strcmp(a->item->short_name, b->item->short_name);
    return order ? order : address_compare(a->item, b->item);
}

struct case_index case_index_make(const struct result_case *cases, size_t case_count) {
    struct case_index index = {.cases = cases, .count = case_count};
    index.by_identity = mem_alloc(case_count * sizeof *index.by_identity);
    index.by_short_name = mem_alloc(case_count * sizeof *index.by_short_name);
    for (size_t i = 0; i < case_count; ++i) {
        index.by_identity[i].item = &cases[i];
        if (cases[i].short_name) index.by_short_name[index.named_count++].item = &cases[i];
    }
    if (index.count) qsort(index.by_identity, index.count, sizeof *index.by_identity, by_identity);
    if (index.named_count)
        qsort(index.by_short_name, index.named_count, sizeof *index.by_short_name, by_short_name);
    return index;
}

void case_index_fini(struct case_index *index) {
    free(index->by_identity);
    free(index->by_short_name);
    *index = (struct case_index){0};
}

const struct result_case *case_index_find(const struct case_index *index, const struct result_case *wanted) {
    size_t low = 0, high = index->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (identity_compare(index->by_identity[middle].item, wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    bool is_found = low < index->count && identity_compare(index->by_identity[low].item, wanted) == 0;
    return is_found ? index->by_identity[low].item : NULL;
}

static size_t position(const struct case_index *index, const struct result_case *item) {
    return (size_t)(item - index->cases);
}

void case_index_pair(const struct case_index *a, const struct case_index *b, size_t *ret_of_a,
                     size_t *ret_of_b) {
    for (size_t i = 0; i < b->count; ++i) ret_of_b[i] = CASE_INDEX_NONE;
    for (size_t i = 0; i < a->count; ++i) {
        const struct result_case *same = case_index_find(b, &a->cases[i]);
        ret_of_a[i] = same ? position(b, same) : CASE_INDEX_NONE;
        if (same) ret_of_b[position(b, same)] = i;
    }
    for (size_t i = 0, k = 0; i < a->named_count && k < b->named_count;) {
        const struct result_case *mine = a->by_short_name[i].item, *other = b->by_short_name[k].item;
        size_t *of_mine = &ret_of_a[position(a, mine)], *of_other = &ret_of_b[position(b, other)];
        const int order = strcmp(mine->short_name, other->short_name);
        if (order < 0 || (order == 0 && *of_mine != CASE_INDEX_NONE)) {
            ++i;
        } else if (order > 0 || *of_other != CASE_INDEX_NONE) {
            ++k;
        } else {
            *of_mine = position(b, other);
            *of_other = position(a, mine);
        }
    }
}

const struct result_case *case_index_duplicate(const struct case_index *index) {
    for (size_t i = 1; i < index->count; ++i)
        if (identity_compare(index->by_identity[i - 1].item, index->by_identity[i].item) == 0)
            return index->by_identity[i].item;
    return NULL;
}
