// SPDX-License-Identifier: Apache-2.0
//
// An audit of tolerances: what became of every wrong result on every case, the figures of each wrong result
// over all cases, and the exit code.
#ifndef VERDICT_AUDIT_SUMMARY_H
#define VERDICT_AUDIT_SUMMARY_H

#include "record/audit_result.h"
#include "record/work_order.h"

struct audit_entry {
    uint32_t case_index;
    struct audit_result result;
};

struct audit {
    struct arena arena;
    const char *suite;
    uint64_t seed;
    size_t case_count;
    struct work_case *cases;
    size_t entry_count;
    struct audit_entry *entries; // in the order of cases
};

void audit_add(struct audit *audit, uint32_t case_index, const struct audit_result *result); // copies
void audit_fini(struct audit *audit);

// How many (case, wrong result, output) had which end; `same` are no wrong results and not in `tried`.
struct audit_counts {
    size_t tried, detected, hidden, passed, same, refused;
};
struct audit_counts audit_count_case(const struct audit *audit, size_t case_index);
struct audit_counts audit_count_all(const struct audit *audit);

// One wrong result of one output, over all cases, in the order of the list of mutants.
struct audit_row {
    const char *mutant, *summary, *output;
    struct audit_counts counts;
};
const struct audit_row *audit_rows(struct audit *audit, size_t *ret_count); // in the arena

// A hidden wrong result is no fault of the cases if another one detects it in the same output and type.
bool audit_is_detected_elsewhere(const struct audit *audit, const struct audit_entry *entry);
// For the first entry of an ignored input that no case detects, whatever the output: how many cases tried it.
// Else 0.
size_t audit_unnoticed_cases(const struct audit *audit, const struct audit_entry *entry);
// What the user has to act on: a tolerance that is too wide or too narrow, a wrong result that no case
// detects, or an input (in its first entry) that never matters.
bool audit_is_problem(const struct audit *audit, const struct audit_entry *entry);
size_t audit_problem_count(const struct audit *audit);
int audit_exit_code(const struct audit *audit); // 0, or 1 with problems

#endif
