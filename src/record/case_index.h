// SPDX-License-Identifier: Apache-2.0
//
// Index of a result's cases by identity (problem, input distribution and memory layout) and by short name.
// Built once, looked up in O(log n); a result may hold thousands of cases.
#ifndef RECORD_CASE_INDEX_H
#define RECORD_CASE_INDEX_H

#include <stdint.h>

#include "record/result.h"

struct case_entry {
    const struct result_case *item;
};

struct case_index {
    const struct result_case *cases;
    size_t count, named_count;
    struct case_entry *by_identity;
    struct case_entry *by_short_name; // only cases that have one
};

// The index points into the cases, which must outlive it and stay where they are. Free with case_index_fini.
struct case_index case_index_make(const struct result_case *cases, size_t case_count);
void case_index_fini(struct case_index *index);

// The first case in the document's order with the same problem, input distribution and memory layout;
// NULL: none.
const struct result_case *case_index_find(const struct case_index *index, const struct result_case *wanted);
// Which cases of two documents meet: those of the same identity, then, of what is left, those of the same
// short name in the documents' order. No case meets two, as long as no document has one identity twice.
// Position in the other document, or CASE_INDEX_NONE, of each case: ret_of_a[a->count], ret_of_b[b->count].
#define CASE_INDEX_NONE SIZE_MAX
void case_index_pair(const struct case_index *a, const struct case_index *b, size_t *ret_of_a,
                     size_t *ret_of_b);
// A case whose problem, input distribution and memory layout an earlier case has too; NULL: all differ.
const struct result_case *case_index_duplicate(const struct case_index *index);

#endif
