// SPDX-License-Identifier: Apache-2.0
//
// Resolving a suite's name to its problems: `from` and `only` are followed through the manifest down to
// shipped suites, which operators have (op/operator.h), or named problems.
#include "control/plan/suite.h"

#include <stdlib.h>
#include <string.h>

#include "base/comma.h"
#include "base/mem.h"
#include "base/strbuf.h"

#define FROM_DEPTH_MAX 32 // suites made from suites

static const struct operator_set *operators_of(const struct manifest *manifest) {
    return manifest ? &manifest->operators : &operators_compiled;
}

static const struct manifest_suite *manifest_suite_find(const struct manifest *manifest, const char *name) {
    for (size_t i = 0; manifest && i < manifest->suite_count; ++i) {
        if (str_equal(manifest->suites[i].name, name)) return &manifest->suites[i];
    }
    return NULL;
}

const char *suite_name_at(const struct manifest *manifest, size_t index, const char **ret_summary) {
    const size_t own_count = manifest ? manifest->suite_count : 0;
    if (index < own_count) {
        if (ret_summary) *ret_summary = "of this manifest";
        return manifest->suites[index].name;
    }
    // A shipped suite that the manifest replaces is listed once.
    size_t left = index - own_count;
    const struct operator_def *op;
    const struct op_suite *shipped;
    for (size_t i = 0; (shipped = operator_suite_at(operators_of(manifest), i, &op)); ++i) {
        if (manifest_suite_find(manifest, shipped->name)) continue;
        if (left-- > 0) continue;
        if (ret_summary) *ret_summary = shipped->summary;
        return shipped->name;
    }
    return NULL;
}

static int unknown_suite(const struct manifest *manifest, const char *name, struct err *err) {
    struct strbuf list = {0};
    const char **known = NULL;
    size_t count = 0, capacity = 0;
    for (const char *other; (other = suite_name_at(manifest, count, NULL)); ++count) {
        MEM_GROW(known, capacity, count + 1);
        known[count] = other;
        comma_add(&list, other);
    }
    const char *nearest = str_nearest(name, known, count);
    int result = nearest ? err_set(err, ERR_USAGE, "unknown suite '%s', did you mean '%s'? Known: %s", name,
                                   nearest, strbuf_text(&list))
                         : err_set(err, ERR_USAGE, "unknown suite '%s'; known: %s", name, strbuf_text(&list));
    free(known);
    strbuf_fini(&list);
    return result;
}

static int fail_dtype(const struct suite *suite, const struct operator_def *op, const char *dtype,
                      struct err *err) {
    struct problem none;
    if (op->has_fixed_types) return problem_make_in(op, dtype, "", &none, err); // says it
    return err_set(err, ERR_USAGE, "suite '%s' has no problem in '%.40s', which %s does not take",
                   suite->name, dtype, op->name);
}

// The boundary matrix as a suite.
static int boundary_resolve(const struct operator_def *op, const char *dtype, struct suite *suite,
                            struct arena *arena, struct err *err) {
    const struct op_cases cases = problem_boundary(op, dtype, arena);
    suite->item_count = cases.count;
    if (!suite->item_count) return fail_dtype(suite, op, dtype, err);
    suite->items = arena_array(arena, suite->item_count, sizeof *suite->items);
    for (size_t i = 0; i < suite->item_count; ++i)
        suite->items[i] = (struct suite_item){.problem = cases.items[i].problem,
                                              .distribution = cases.items[i].distribution,
                                              .memory_layout = cases.items[i].memory_layout,
                                              .is_declared_only = cases.items[i].is_declared_only,
                                              .is_alternative = cases.items[i].is_alternative};
    return 0;
}

static int problems_resolve(const struct operator_def *op, const struct op_suite *shipped, const char *dtype,
                            struct suite *suite, struct arena *arena, struct err *err) {
    suite->item_count = shipped->problem_count;
    suite->items = arena_array(arena, suite->item_count, sizeof *suite->items);
    for (size_t i = 0; i < suite->item_count; ++i) {
        suite->items[i] = (struct suite_item){.short_name = shipped->problems[i].short_name,
                                              .distribution = OP_DISTRIBUTION_DEFAULT,
                                              .memory_layout = MEMORY_LAYOUT_DENSE};
        if (problem_make_in(op, dtype, shipped->problems[i].fields, &suite->items[i].problem, NULL) < 0)
            return fail_dtype(suite, op, dtype, err);
    }
    return 0;
}

static int shipped_resolve(const struct operator_def *op, const struct op_suite *shipped, const char *dtype,
                           struct arena *arena, struct suite *ret, struct err *err) {
    struct suite suite = {.name = shipped->name, .summary = shipped->summary};
    const char *used = str_or(dtype, shipped->dtype);
    TRY(shipped->matrix == OP_MATRIX_BOUNDARY ? boundary_resolve(op, used, &suite, arena, err)
                                              : problems_resolve(op, shipped, used, &suite, arena, err));
    for (size_t i = 0; i < suite.item_count; ++i) {
        suite.items[i].matrix = shipped->matrix;
        suite.items[i].is_dtype_named = dtype != NULL;
    }
    suite.is_drawn_from = shipped->matrix == OP_MATRIX_BOUNDARY && op->draw;
    *ret = suite;
    return 0;
}

bool suite_is_any_boundary(const struct manifest *manifest, const char *name) {
    return str_equal(name, "boundary") && !manifest_suite_find(manifest, name);
}

int suite_boundary(const struct operator_def *op, const char *dtype, struct arena *arena, struct suite *ret,
                   struct err *err) {
    *ret = (struct suite){0};
    for (const struct op_suite *shipped = op->suites; shipped && shipped->name; ++shipped)
        if (shipped->matrix == OP_MATRIX_BOUNDARY)
            return shipped_resolve(op, shipped, dtype, arena, ret, err);
    return 0;
}

static int own_resolve(const struct operator_set *set, const struct manifest_suite *own, struct arena *arena,
                       struct suite *ret, struct err *err) {
    struct suite suite = {.name = arena_strdup(arena, own->name),
                          .summary = "of this manifest",
                          .item_count = own->problem_count};
    suite.items = arena_array(arena, suite.item_count, sizeof *suite.items);
    for (size_t i = 0; i < suite.item_count; ++i) {
        const struct manifest_problem *problem = &own->problems[i];
        struct suite_item *item = &suite.items[i];
        *item = (struct suite_item){.short_name = arena_strdup(arena, problem->short_name),
                                    .distribution = arena_strdup(arena, problem->distribution),
                                    .memory_layout = problem->memory_layout,
                                    .tolerance = own_tolerance_copy(arena, problem->tolerance)};
        TRY(problem_parse(set, problem->problem, &item->problem, err));
        // A result holds a problem once; two names for one problem would be two cases that no reader could
        // tell apart.
        for (size_t k = 0; k < i; ++k)
            if (suite_item_equal(&suite.items[k], item))
                return err_set(err, ERR_CONFIG,
                               "suite '%s': '%s' and '%s' are the same problem, %s; keep one", suite.name,
                               suite.items[k].short_name, item->short_name, item->problem.name);
    }
    *ret = suite;
    return 0;
}

// Marks the items of that name; each name must match something.
static int items_select(const struct suite *suite, struct comma_item name, bool *chosen, struct err *err) {
    const char **known = mem_alloc((suite->item_count + 1) * sizeof *known);
    struct strbuf list = {0};
    bool is_found = false;
    for (size_t i = 0; i < suite->item_count; ++i) {
        const char *short_name = suite->items[i].short_name, *full_name = suite->items[i].problem.name;
        if ((short_name && comma_item_is(name, short_name)) || comma_item_is(name, full_name))
            chosen[i] = is_found = true;
        known[i] = str_or(short_name, full_name);
        if (i < 10) comma_add(&list, known[i]);
    }
    int result = 0;
    if (!is_found) {
        char *text = mem_format("%.*s", (int)name.length, name.text);
        const char *nearest = str_nearest(text, known, suite->item_count);
        if (suite->item_count > 10) comma_addf(&list, "... (%zu in all)", suite->item_count);
        result = nearest ? err_set(err, ERR_USAGE, "suite '%s' has no problem '%s', did you mean '%s'?",
                                   suite->name, text, nearest)
                         : err_set(err, ERR_USAGE, "suite '%s' has no problem '%s'; it has %s", suite->name,
                                   text, strbuf_text(&list));
        free(text);
    }
    free(known);
    strbuf_fini(&list);
    return result;
}

// What is chosen by name is wanted of every kernel.
static void items_keep(struct suite *suite, const bool *chosen) {
    size_t kept = 0;
    for (size_t i = 0; i < suite->item_count; ++i) {
        if (!chosen[i]) continue;
        if (kept != i) suite->items[kept] = suite->items[i];
        suite->items[kept].is_declared_only = suite->items[kept].is_alternative = false;
        ++kept;
    }
    suite->item_count = kept;
    suite->is_drawn_from = false;
}

static int only_apply(const struct manifest_suite *own, struct suite *suite, struct err *err) {
    if (!own->only_count) return 0;
    bool *chosen = mem_alloc(suite->item_count * sizeof *chosen);
    int result = 0;
    for (size_t i = 0; i < own->only_count && result == 0; ++i) {
        const struct comma_item name = {.text = own->only[i], .length = strlen(own->only[i])};
        result = items_select(suite, name, chosen, err);
    }
    if (result == 0) items_keep(suite, chosen);
    free(chosen);
    return result;
}

static int distributions_apply(const struct manifest_suite *own, struct arena *arena, struct suite *suite,
                               struct err *err) {
    struct strbuf list = {0};
    for (size_t i = 0; i < own->distribution_count; ++i) comma_add(&list, own->distributions[i]);
    const int code =
        suite_take_distributions(suite, own->distribution_count ? strbuf_text(&list) : NULL, arena, err);
    strbuf_fini(&list);
    return code;
}

static void tolerance_apply(const struct manifest_suite *own, struct arena *arena, struct suite *suite) {
    const struct own_tolerance *tolerance = own_tolerance_copy(arena, own->tolerance);
    for (size_t i = 0; tolerance && i < suite->item_count; ++i) suite->items[i].tolerance = tolerance;
}

static void operator_tolerances_apply(struct suite *suite) {
    for (size_t i = 0; i < suite->item_count; ++i) {
        const struct declared *declared = declared_of(suite->items[i].problem.op);
        if (declared && !suite->items[i].tolerance) suite->items[i].tolerance = declared->tolerance;
    }
}

// A suite of the manifest may be made from the shipped suite of its own name without a loop: `from` then
// means the shipped one.
int suite_resolve(const struct manifest *manifest, const char *name, const char *dtype, struct arena *arena,
                  struct suite *ret, struct err *err) {
    const struct manifest_suite *chain[FROM_DEPTH_MAX];
    size_t depth = 0;
    const char *from = name;
    struct suite suite = {0};
    for (;;) {
        const struct manifest_suite *own = manifest_suite_find(manifest, from);
        if (own && depth && own == chain[depth - 1]) own = NULL;
        if (!own) break;
        for (size_t i = 0; i < depth; ++i) {
            if (chain[i] == own) {
                return err_set(err, ERR_USAGE,
                               "suite '%s' is made from itself (through '%s'); change its 'from'", own->name,
                               chain[depth - 1]->name);
            }
        }
        if (depth == FROM_DEPTH_MAX)
            return err_set(err, ERR_USAGE, "suite '%s': 'from' goes on too long", name);
        chain[depth++] = own;
        if (!own->from) break;
        from = own->from;
    }
    if (depth && !chain[depth - 1]->from) {
        TRY(own_resolve(operators_of(manifest), chain[depth - 1], arena, &suite, err));
    } else {
        const struct operator_def *op;
        const struct op_suite *shipped;
        for (size_t i = 0; (shipped = operator_suite_at(operators_of(manifest), i, &op)); ++i)
            if (str_equal(shipped->name, from)) break;
        if (!shipped && depth && str_equal(chain[depth - 1]->name, from))
            return err_set(err, ERR_USAGE,
                           "suite '%s' is made from itself, and none of that name comes with assay; change "
                           "its 'from', or give it 'problems'",
                           from);
        if (!shipped) return unknown_suite(manifest, from, err);
        TRY(shipped_resolve(op, shipped, dtype, arena, &suite, err));
    }
    while (depth-- > 0) {
        TRY(only_apply(chain[depth], &suite, err));
        TRY(distributions_apply(chain[depth], arena, &suite, err));
        tolerance_apply(chain[depth], arena, &suite);
    }
    operator_tolerances_apply(&suite);
    suite.name = arena_strdup(arena, name);
    *ret = suite;
    return 0;
}

int suite_filter(struct suite *suite, const char *comma_list, struct err *err) {
    bool *chosen = mem_alloc((suite->item_count + 1) * sizeof *chosen);
    int result = 0;
    struct comma_item item;
    for (const char *at = comma_list; result == 0 && comma_next(&at, &item);) {
        if (item.length)
            result = items_select(suite, item, chosen, err);
        else
            result = err_set(err, ERR_USAGE,
                             "the list of problems '%s' has an empty name; write for example 's512,small'",
                             comma_list);
    }
    if (result == 0) items_keep(suite, chosen);
    free(chosen);
    return result;
}

int suite_of_problems(const struct operator_set *set, const char *comma_list, struct arena *arena,
                      struct suite *ret, struct err *err) {
    struct suite suite = {.name = "problem", .summary = "named problems"};
    struct comma_item name;
    suite.items = arena_array(arena, comma_count(comma_list), sizeof *suite.items);
    for (const char *at = comma_list; comma_next(&at, &name);) {
        struct suite_item *item = &suite.items[suite.item_count];
        *item = (struct suite_item){.distribution = OP_DISTRIBUTION_DEFAULT,
                                    .memory_layout = MEMORY_LAYOUT_DENSE};
        TRY(problem_parse(set, arena_strndup(arena, name.text, name.length), &item->problem, err));
        if (suite_has(&suite, item))
            return err_set(err, ERR_USAGE, "--problem names '%s' twice", item->problem.name);
        ++suite.item_count;
    }
    operator_tolerances_apply(&suite);
    *ret = suite;
    return 0;
}
