// SPDX-License-Identifier: Apache-2.0
//
// See audit_summary.h.
#include "verdict/audit_summary.h"

#include <string.h>

#include "base/strbuf.h"

// Grows by doubling inside the arena: a matrix has thousands of entries.
void audit_add(struct audit *audit, uint32_t case_index, const struct audit_result *result) {
    const size_t count = audit->entry_count;
    if ((count & (count - 1)) == 0) {
        struct audit_entry *grown = arena_array(&audit->arena, count ? count * 2 : 1, sizeof *audit->entries);
        if (count) memcpy(grown, audit->entries, count * sizeof *grown);
        audit->entries = grown;
    }
    struct audit_entry *entry = &audit->entries[audit->entry_count++];
    *entry = (struct audit_entry){case_index, *result};
    entry->result.mutant = arena_strdup(&audit->arena, result->mutant);
    entry->result.summary = arena_strdup(&audit->arena, result->summary);
    entry->result.output = arena_strdup(&audit->arena, result->output);
    entry->result.ignored_input = arena_strdup(&audit->arena, result->ignored_input);
    entry->result.detected_by = arena_strdup(&audit->arena, result->detected_by);
}

void audit_fini(struct audit *audit) {
    arena_fini(&audit->arena);
    *audit = (struct audit){0};
}

static void count(struct audit_counts *counts, const struct audit_result *result) {
    switch (result->verdict) {
    case AUDIT_SAME: ++counts->same; return;
    case AUDIT_REFUSED: ++counts->refused; return;
    case AUDIT_DETECTED: ++counts->detected; break;
    case AUDIT_HIDDEN: ++counts->hidden; break;
    default: ++counts->passed; break;
    }
    ++counts->tried;
}

struct audit_counts audit_count_case(const struct audit *audit, size_t case_index) {
    struct audit_counts ret = {0};
    for (size_t i = 0; i < audit->entry_count; ++i)
        if (audit->entries[i].case_index == case_index) count(&ret, &audit->entries[i].result);
    return ret;
}

struct audit_counts audit_count_all(const struct audit *audit) {
    struct audit_counts ret = {0};
    for (size_t i = 0; i < audit->entry_count; ++i) count(&ret, &audit->entries[i].result);
    return ret;
}

static bool is_row_of(const struct audit_row *row, const struct audit_result *result) {
    return str_equal(row->mutant, result->mutant) && str_equal(row->output, result->output);
}

const struct audit_row *audit_rows(struct audit *audit, size_t *ret_count) {
    size_t row_count = 0;
    struct audit_row *rows = arena_array(&audit->arena, audit->entry_count, sizeof *rows);
    for (size_t i = 0; i < audit->entry_count; ++i) {
        const struct audit_result *result = &audit->entries[i].result;
        size_t k = 0;
        while (k < row_count && !is_row_of(&rows[k], result)) ++k;
        if (k == row_count)
            rows[row_count++] = (struct audit_row){
                .mutant = result->mutant, .summary = result->summary, .output = result->output};
        count(&rows[k].counts, result);
    }
    *ret_count = row_count;
    return rows;
}

bool audit_is_detected_elsewhere(const struct audit *audit, const struct audit_entry *entry) {
    const struct problem *problem = &audit->cases[entry->case_index].problem;
    for (size_t i = 0; i < audit->entry_count; ++i) {
        const struct audit_entry *other = &audit->entries[i];
        const struct problem *theirs = &audit->cases[other->case_index].problem;
        if (other->result.verdict == AUDIT_DETECTED && theirs->op == problem->op &&
            str_equal(other->result.mutant, entry->result.mutant) &&
            str_equal(other->result.output, entry->result.output) &&
            str_equal(problem_dtype_name(theirs), problem_dtype_name(problem)))
            return true;
    }
    return false;
}

// Whether two entries are of one ignored input.
static bool is_same_input(const struct audit *audit, const struct audit_entry *a,
                          const struct audit_entry *b) {
    return str_equal(a->result.ignored_input, b->result.ignored_input) &&
           audit->cases[a->case_index].problem.op == audit->cases[b->case_index].problem.op;
}

size_t audit_unnoticed_cases(const struct audit *audit, const struct audit_entry *entry) {
    size_t ret = 0;
    const struct audit_entry *last = NULL;
    if (!entry->result.ignored_input) return 0;
    for (size_t i = 0; i < audit->entry_count; ++i) {
        const struct audit_entry *other = &audit->entries[i];
        if (!is_same_input(audit, entry, other)) continue;
        if (other < entry || other->result.verdict == AUDIT_DETECTED) return 0;
        ret += !last || last->case_index != other->case_index;
        last = other;
    }
    return ret;
}

bool audit_is_problem(const struct audit *audit, const struct audit_entry *entry) {
    if (entry->result.ignored_input) return audit_unnoticed_cases(audit, entry) > 0;
    switch (entry->result.verdict) {
    case AUDIT_PASSED:
    case AUDIT_REFUSED: return true;
    case AUDIT_HIDDEN: return !audit_is_detected_elsewhere(audit, entry);
    default: return false;
    }
}

size_t audit_problem_count(const struct audit *audit) {
    size_t ret = 0;
    for (size_t i = 0; i < audit->entry_count; ++i) ret += audit_is_problem(audit, &audit->entries[i]);
    return ret;
}

int audit_exit_code(const struct audit *audit) {
    return audit_problem_count(audit) ? 1 : 0;
}
