// SPDX-License-Identifier: Apache-2.0
//
// Suites as sets of items: what both have, what one lacks, and all of both. A gate against a revision
// compares the suites of two manifests with them.
#include <string.h>

#include "base/comma.h"
#include "base/str.h"
#include "base/strbuf.h"
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

static bool is_measurable(const struct suite_item *item) {
    return item->memory_layout == MEMORY_LAYOUT_DENSE &&
           problem_is_measured_with(&item->problem, item->distribution);
}

static int not_measurable(const struct suite *suite, const struct suite_item *item, struct err *err) {
    const char *const *measured = item->problem.op->measured_distributions;
    struct strbuf known = {0};
    comma_add(&known, OP_DISTRIBUTION_DEFAULT);
    for (size_t i = 0; measured && measured[i]; ++i) comma_add(&known, measured[i]);
    const int code = err_set(err, ERR_USAGE,
                             "suite '%s' has inputs '%s' in %s tensors: that is for fuzz and --check; %s is "
                             "measured in dense tensors with the inputs %s",
                             suite->name, item->distribution, memory_layout_name(item->memory_layout),
                             item->problem.op->name, strbuf_text(&known));
    strbuf_fini(&known);
    return code;
}

int suite_check_measurable(const struct suite *suite, struct err *err) {
    for (size_t i = 0; i < suite->item_count; ++i)
        if (!is_measurable(&suite->items[i])) return not_measurable(suite, &suite->items[i], err);
    return 0;
}

// The distributions of a list for a problem: "all" stands for several.
static const char *distributions_of(const struct problem *problem, const char *distributions,
                                    struct arena *arena) {
    const char *const *measured = problem->op->measured_distributions;
    struct strbuf text = {0};
    if (!str_equal(distributions, "all")) return distributions;
    comma_add(&text, OP_DISTRIBUTION_DEFAULT);
    for (size_t i = 0; measured && measured[i]; ++i)
        if (problem_check_distribution(problem, measured[i], NULL) == 0) comma_add(&text, measured[i]);
    const char *ret = arena_strdup(arena, strbuf_text(&text));
    strbuf_fini(&text);
    return ret;
}

// The item with those inputs; one without a name, alone in its suite, is named after them.
static struct suite_item with_distribution(const struct suite *suite, const struct suite_item *item,
                                           const char *distribution, struct arena *arena) {
    struct suite_item ret = *item;
    ret.distribution = distribution;
    if (str_equal(distribution, OP_DISTRIBUTION_DEFAULT)) return ret;
    if (item->short_name)
        ret.short_name = arena_format(arena, "%s.%s", item->short_name, distribution);
    else if (suite->item_count == 1)
        ret.short_name = distribution;
    return ret;
}

int suite_take_distributions(struct suite *suite, const char *distributions, struct arena *arena,
                             struct err *err) {
    struct suite ret = *suite;
    struct comma_item word;
    size_t most = 0;
    if (!distributions) return 0;
    for (size_t i = 0; i < suite->item_count; ++i)
        for (const char *at = distributions_of(&suite->items[i].problem, distributions, arena);
             comma_next(&at, &word);)
            ++most;
    ret.items = arena_array(arena, most ? most : 1, sizeof *ret.items);
    ret.item_count = 0;
    for (size_t i = 0; i < suite->item_count; ++i) {
        const struct problem *problem = &suite->items[i].problem;
        for (const char *at = distributions_of(problem, distributions, arena); comma_next(&at, &word);) {
            const char *distribution = arena_strndup(arena, word.text, word.length);
            TRY(problem_check_distribution(problem, distribution, err));
            const struct suite_item item = with_distribution(suite, &suite->items[i], distribution, arena);
            if (!suite_has(&ret, &item)) ret.items[ret.item_count++] = item;
        }
    }
    *suite = ret;
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
    ret.is_drawn_from |= second->is_drawn_from;
    if (!ret.left_out) ret.left_out = second->left_out;
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
