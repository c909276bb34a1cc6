// SPDX-License-Identifier: Apache-2.0
//
// See removed_checks.h.
#include "verdict/removed_checks.h"

#include <string.h>

#include "base/str.h"
#include "verdict/decision_make.h"

static bool is_same_shape(const struct result_case *a, const struct result_case *b) {
    return a->memory_layout == b->memory_layout && str_equal(a->problem.name, b->problem.name);
}

size_t removed_checks_find(const struct result *result, uint32_t side, size_t *ret) {
    size_t count = 0;
    for (size_t i = 0; i < result->check_count; ++i) {
        const struct result_case *item = &result->checks[i];
        bool is_found = item->checks[side].outcome != OUTCOME_UNSUPPORTED;
        for (size_t k = 0; k < count && !is_found; ++k)
            is_found = is_same_shape(&result->checks[ret[k]], item);
        if (!is_found) ret[count++] = i;
    }
    return count;
}

// Of a problem that failed, crashed or hung it is known that it is supported.
static enum outcome support_of(enum outcome outcome) {
    if (outcome == OUTCOME_UNSUPPORTED) return OUTCOME_UNSUPPORTED;
    return outcome == OUTCOME_OK || outcome_is_wrong(outcome) ? OUTCOME_OK : OUTCOME_NONE;
}

enum outcome removed_checks_stored(const struct result *stored, uint32_t side,
                                   const struct result_case *wanted) {
    const struct result_case *const lists[] = {stored->checks, stored->cases};
    const size_t counts[] = {stored->check_count, stored->case_count};
    for (size_t k = 0; k < 2; ++k) {
        for (size_t i = 0; i < counts[k]; ++i) {
            const struct result_case *item = &lists[k][i];
            const enum outcome support = support_of(item->checks[side].outcome);
            if (support != OUTCOME_NONE && is_same_shape(item, wanted)) return support;
        }
    }
    return OUTCOME_NONE;
}

// Without the inputs, on which support does not depend.
static const char *shape_name(const struct result_case *item, struct arena *arena) {
    if (item->memory_layout <= MEMORY_LAYOUT_DENSE) return arena_strdup(arena, item->problem.name);
    return arena_format(arena, "%s (%s)", item->problem.name, memory_layout_name(item->memory_layout));
}

static bool has_removed(const struct decision *decision, const char *name) {
    const struct decision_case *found = decision_find_case(decision, name);
    return found && found->verdict == VERDICT_REMOVED;
}

// A problem that is timed as well, and only refused in the check, is another entry.
static const char *free_name(const struct decision *decision, const char *name, struct arena *arena) {
    return decision_find_case(decision, name) ? arena_format(arena, "%s (in the check)", name) : name;
}

static void add_case(const char *name, const char *message, struct arena *arena, struct decision *decision) {
    struct decision_case *added = decision_add_removed(
        decision, name, REASON_UNSUPPORTED,
        "the candidate does not support this problem of the check, which the baseline supports");
    if (*message) added->sentence = arena_format(arena, "%s: %s", added->sentence, message);
}

void removed_checks_add(const struct removed_checks *removed, struct arena *arena,
                        struct decision *decision) {
    const struct result *result = removed->result;
    size_t unknown_count = 0;
    const char *unknown = NULL; // the first
    decision_reserve(decision, removed->count, arena);
    for (size_t k = 0; k < removed->count; ++k) {
        const struct result_case *item = &result->checks[removed->indices[k]];
        const char *name = shape_name(item, arena);
        if (removed->baseline[k] == OUTCOME_UNSUPPORTED || has_removed(decision, name)) continue;
        if (removed->baseline[k] == OUTCOME_OK)
            add_case(free_name(decision, name, arena), item->checks[removed->cand_side].message, arena,
                     decision);
        else if (unknown_count++ == 0)
            unknown = name;
    }
    if (unknown_count)
        decision_note(
            decision, arena,
            "of %zu problem%s of the check that the candidate does not support it is not known whether "
            "the baseline supports %s (%s); the first is %s",
            unknown_count, unknown_count == 1 ? "" : "s", unknown_count == 1 ? "it" : "them",
            removed->unknown_reason, unknown);
}
