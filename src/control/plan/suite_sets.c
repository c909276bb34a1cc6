// SPDX-License-Identifier: Apache-2.0
//
// Suites as sets of items: what both have, what one lacks, and all of both. A gate against a revision
// compares the suites of two manifests with them.
#include <string.h>

#include "base/str.h"
#include "control/plan/suite.h"

bool suite_item_equal(const struct suite_item *a, const struct suite_item *b) {
    return str_equal(a->problem.name, b->problem.name) && str_equal(a->distribution, b->distribution) &&
           a->memory_layout == b->memory_layout;
}

bool suite_has(const struct suite *suite, const struct suite_item *item) {
    for (size_t i = 0; i < suite->item_count; ++i)
        if (suite_item_equal(&suite->items[i], item)) return true;
    return false;
}

static bool is_usual(const struct suite_item *item) {
    return str_equal(item->distribution, OP_DISTRIBUTION_DEFAULT) &&
           item->memory_layout == MEMORY_LAYOUT_DENSE;
}

int suite_check_measurable(const struct suite *suite, struct err *err) {
    for (size_t i = 0; i < suite->item_count; ++i)
        if (!is_usual(&suite->items[i]))
            return err_set(
                err, ERR_USAGE,
                "suite '%s' names inputs and placements (%s, %s): it is for fuzz and --check; what is "
                "measured has normal inputs in dense tensors",
                suite->name, suite->items[i].distribution, memory_layout_name(suite->items[i].memory_layout));
    return 0;
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
        if (suite_has(first, &item)) continue;
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
        if (suite_has(other, &suite->items[i])) suite->items[kept++] = suite->items[i];
    suite->item_count = kept;
}

struct policy_names suite_missing(const struct suite *from, const struct suite *in, struct arena *arena) {
    struct policy_names ret = {.items = arena_array(arena, from->item_count, sizeof *ret.items)};
    for (size_t i = 0; i < from->item_count; ++i) {
        const struct suite_item *item = &from->items[i];
        if (suite_has(in, item)) continue;
        ret.items[ret.count++] =
            is_usual(item) ? arena_strdup(arena, item->problem.name)
                           : arena_format(arena, "%s (%s %s)", item->problem.name, item->distribution,
                                          memory_layout_name(item->memory_layout));
    }
    return ret;
}
