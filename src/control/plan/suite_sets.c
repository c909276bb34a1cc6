// SPDX-License-Identifier: Apache-2.0
//
// Suites as sets of problems: what both have, what one lacks, and all of both. A gate against a revision
// compares the suites of two manifests with them.
#include <string.h>

#include "base/str.h"
#include "control/plan/suite.h"

bool suite_has(const struct suite *suite, const char *problem_name) {
    for (size_t i = 0; i < suite->item_count; ++i)
        if (str_equal(suite->items[i].problem.name, problem_name)) return true;
    return false;
}

static bool has_short_name(const struct suite *suite, const char *short_name) {
    for (size_t i = 0; short_name && i < suite->item_count; ++i)
        if (str_equal(suite->items[i].short_name, short_name)) return true;
    return false;
}

struct suite suite_union(const struct suite *first, const struct suite *second, struct arena *arena) {
    struct suite ret = *first;
    const size_t most = first->item_count + second->item_count;
    ret.items = arena_array(arena, most, sizeof *ret.items);
    if (first->item_count) memcpy(ret.items, first->items, first->item_count * sizeof *ret.items);
    for (size_t i = 0; i < second->item_count; ++i) {
        struct suite_item item = second->items[i];
        if (suite_has(first, item.problem.name)) continue;
        if (has_short_name(first, item.short_name)) item.short_name = NULL;
        ret.items[ret.item_count++] = item;
    }
    const bool is_first_all = ret.item_count == first->item_count;
    if (ret.item_count == second->item_count && (!is_first_all || !first->name)) {
        ret.name = second->name;
        ret.summary = second->summary;
    } else if (!is_first_all && !str_equal(first->name, second->name)) {
        ret.name = arena_format(arena, "%s+%s", first->name, second->name);
        ret.summary = "of both";
    }
    return ret;
}

void suite_keep_common(struct suite *suite, const struct suite *other) {
    size_t kept = 0;
    for (size_t i = 0; i < suite->item_count; ++i)
        if (suite_has(other, suite->items[i].problem.name)) suite->items[kept++] = suite->items[i];
    suite->item_count = kept;
}

struct policy_names suite_missing(const struct suite *from, const struct suite *in, struct arena *arena) {
    struct policy_names ret = {.items = arena_array(arena, from->item_count, sizeof *ret.items)};
    for (size_t i = 0; i < from->item_count; ++i) {
        const char *name = from->items[i].problem.name;
        if (!suite_has(in, name)) ret.items[ret.count++] = arena_strdup(arena, name);
    }
    return ret;
}
