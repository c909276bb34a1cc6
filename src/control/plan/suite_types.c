// SPDX-License-Identifier: Apache-2.0
//
// A matrix follows the kernel: it is checked in the dtypes that the kernel supports, and the problems that
// not every kernel takes are checked where this one does.
#include <string.h>

#include "base/comma.h"
#include "base/strbuf.h"
#include "control/plan/suite.h"
#include "op/dtype.h"

#define TYPES_MAX 16 // above every enum assay_dtype; type 0 is an item's own

// The item in that type. False: there is none.
static bool item_in_type(const struct suite_item *item, int32_t type, struct suite_item *ret) {
    *ret = *item;
    if (type == 0) return true;
    const char *name = dtype_name(type);
    return name && !item->is_dtype_named && !str_equal(name, problem_dtype_name(&item->problem)) &&
           problem_retype(&item->problem, name, &ret->problem, NULL) == 0 &&
           problem_check_distribution(&ret->problem, ret->distribution, NULL) == 0;
}

// ---- the question ----

enum asked {
    ASKED_AS_IT_IS = 0,
    ASKED_PACKED, // a dense item whose rows have gaps, without them
    ASKED_COUNT
};

// Of one item in one type. Below them stands one for each type, of all items together that every kernel is
// asked for.
static size_t index_of(size_t item, enum asked asked, int32_t type) {
    return ((item + 1) * ASKED_COUNT + (size_t)asked) * TYPES_MAX + (size_t)type;
}

// The rows of a dense item have gaps, which a kernel may refuse.
static bool can_be_packed(const struct suite_item *item) {
    return item->memory_layout == MEMORY_LAYOUT_DENSE && problem_has_gaps(&item->problem);
}

static void ask_item(const struct suite_item *item, size_t index, struct suite_question *question) {
    question->cases[question->case_count++] = (struct work_case){.index = (uint32_t)index,
                                                                 .problem = item->problem,
                                                                 .distribution = item->distribution,
                                                                 .memory_layout = item->memory_layout,
                                                                 .side_mask = 1};
}

// What is asked of one item by itself.
static void ask_alone(const struct suite *suite, size_t number, int32_t type,
                      struct suite_question *question) {
    struct suite_item item;
    if (!item_in_type(&suite->items[number], type, &item)) return;
    const bool is_packable = can_be_packed(&item);
    if (is_packable || item.is_declared_only)
        ask_item(&item, index_of(number, ASKED_AS_IT_IS, type), question);
    item.memory_layout = MEMORY_LAYOUT_PACKED;
    if (is_packable) ask_item(&item, index_of(number, ASKED_PACKED, type), question);
}

void suite_ask(const struct suite *suite, struct arena *arena, struct suite_question *ret) {
    struct suite_item item;
    *ret = (struct suite_question){.index_count = index_of(suite->item_count, ASKED_AS_IT_IS, 0)};
    ret->cases =
        arena_array(arena, suite->item_count * (1 + ASKED_COUNT) * TYPES_MAX + 1, sizeof *ret->cases);
    for (int32_t type = 0; type < TYPES_MAX; ++type)
        for (size_t i = 0; i < suite->item_count; ++i)
            if (suite->items[i].matrix != OP_MATRIX_NONE && !suite->items[i].is_declared_only &&
                item_in_type(&suite->items[i], type, &item))
                ask_item(&item, (size_t)type, ret);
    for (size_t i = 0; i < suite->item_count; ++i)
        for (int32_t type = 0; type < TYPES_MAX && suite->items[i].matrix != OP_MATRIX_NONE; ++type)
            ask_alone(suite, i, type, ret);
}

// ---- what is left out ----

struct left_out {
    const struct suite *taken;
    struct strbuf features; // words
    struct strbuf problems; // a comma list
};

static bool word_next(const char **at, struct comma_item *ret) {
    *at += strspn(*at, " ");
    *ret = (struct comma_item){*at, strcspn(*at, " ")};
    *at += ret->length;
    return ret->length > 0;
}

static bool has_word(const char *words, struct comma_item wanted) {
    struct comma_item word;
    while (word_next(&words, &word))
        if (word.length == wanted.length && memcmp(word.text, wanted.text, word.length) == 0) return true;
    return false;
}

static bool is_feature_checked(const struct suite *taken, struct comma_item feature) {
    struct problem_abi abi;
    for (size_t i = 0; i < taken->item_count; ++i) {
        problem_describe(&taken->items[i].problem, MEMORY_LAYOUT_DENSE, &abi);
        if (has_word(abi.features, feature)) return true;
    }
    return false;
}

// Says why an item is not checked: its features that no other item shows, or its name.
static void add_left_out(struct left_out *left_out, const struct suite_item *item) {
    struct problem_abi abi;
    struct comma_item feature;
    bool is_said = false;
    problem_describe(&item->problem, MEMORY_LAYOUT_DENSE, &abi);
    for (const char *at = abi.features; word_next(&at, &feature);) {
        if (is_feature_checked(left_out->taken, feature)) continue;
        is_said = true;
        if (!has_word(strbuf_text(&left_out->features), feature))
            strbuf_addf(&left_out->features, "%s%.*s", left_out->features.length ? " " : "",
                        (int)feature.length, feature.text);
    }
    const char *fields = problem_fields(&item->problem); // its dtype is the matrix's
    if (is_said) return;
    if (item->memory_layout <= MEMORY_LAYOUT_DENSE)
        comma_add(&left_out->problems, fields);
    else
        comma_addf(&left_out->problems, "%s (%s)", fields, memory_layout_name(item->memory_layout));
}

static const char *left_out_text(struct left_out *left_out, struct arena *arena) {
    const char *features = strbuf_text(&left_out->features), *problems = strbuf_text(&left_out->problems);
    const char *ret = *features && *problems ? arena_format(arena, "%s; features %s", problems, features)
                      : *features            ? arena_format(arena, "features %s", features)
                      : *problems            ? arena_strdup(arena, problems)
                                             : NULL;
    strbuf_fini(&left_out->features);
    strbuf_fini(&left_out->problems);
    return ret;
}

// ---- the answer ----

struct answer {
    const struct suite *suite;
    const bool *is_supported;
    size_t type_count;
    int32_t types[TYPES_MAX]; // those that are checked
    struct suite taken;
    size_t turn, drawn_count;
};

// Where the kernel refuses the gaps between dense rows and takes rows without: those. False: the kernel does
// not take the item, or there is none in that type.
static bool take_in_type(struct answer *answer, size_t number, int32_t type) {
    struct suite_item item;
    if (!item_in_type(&answer->suite->items[number], type, &item)) return false;
    const bool is_taken = answer->is_supported[index_of(number, ASKED_AS_IT_IS, type)];
    const bool is_packed = !is_taken && answer->is_supported[index_of(number, ASKED_PACKED, type)];
    if (item.is_declared_only && !is_taken && !is_packed) return false;
    if (is_packed) item.memory_layout = MEMORY_LAYOUT_PACKED;
    item.is_alternative = item.is_declared_only = false;
    if (!suite_has(&answer->taken, &item)) answer->taken.items[answer->taken.item_count++] = item;
    return true;
}

// One of those that not every kernel takes: in the next of the types in which the kernel takes it.
static bool take_declared(struct answer *answer, size_t number) {
    const struct suite_item *item = &answer->suite->items[number];
    if (item->is_drawn && answer->drawn_count == SUITE_DRAWN_MAX) return false;
    for (size_t i = 0; i < answer->type_count; ++i) {
        const int32_t type = answer->types[(answer->turn + i) % answer->type_count];
        if (!take_in_type(answer, number, type)) continue;
        ++answer->turn;
        answer->drawn_count += item->is_drawn;
        return true;
    }
    return false;
}

static void take_all_declared(struct answer *answer, struct arena *arena) {
    const struct suite *suite = answer->suite;
    struct left_out left_out = {.taken = &answer->taken};
    bool *is_taken = arena_array(arena, suite->item_count, sizeof *is_taken);
    for (size_t i = 0; i < suite->item_count; ++i)
        if (suite->items[i].is_declared_only)
            is_taken[i] = (suite->items[i].is_alternative && is_taken[i - 1]) || take_declared(answer, i);
    for (size_t i = 0; i < suite->item_count; ++i) {
        const bool is_replaced = i + 1 < suite->item_count && suite->items[i + 1].is_alternative;
        if (suite->items[i].is_declared_only && !suite->items[i].is_drawn && !is_taken[i] && !is_replaced)
            add_left_out(&left_out, &suite->items[i]);
    }
    answer->taken.left_out = left_out_text(&left_out, arena);
}

// Only what every kernel is asked for: there is no answer.
static void drop_declared(struct suite *suite) {
    size_t kept = 0;
    for (size_t i = 0; i < suite->item_count; ++i)
        if (!suite->items[i].is_declared_only) suite->items[kept++] = suite->items[i];
    suite->item_count = kept;
}

// Whether the kernel takes anything in that type: one that takes packed tensors alone takes nothing that
// every kernel is asked for.
static bool is_type_taken(const struct answer *answer, int32_t type) {
    bool is_taken = answer->is_supported[type];
    for (size_t i = 0; i < answer->suite->item_count; ++i)
        for (enum asked asked = ASKED_AS_IT_IS; asked < ASKED_COUNT; ++asked)
            is_taken |= answer->is_supported[index_of(i, asked, type)];
    return is_taken;
}

void suite_take(struct suite *suite, const bool *is_supported, bool is_one, struct arena *arena) {
    struct answer answer = {.suite = suite, .is_supported = is_supported, .taken = *suite};
    for (int32_t type = 0; type < TYPES_MAX && is_supported; ++type)
        if (is_type_taken(&answer, type) && !(is_one && answer.type_count))
            answer.types[answer.type_count++] = type;
    if (!answer.type_count) {
        drop_declared(suite);
        return;
    }
    answer.taken.item_count = 0;
    answer.taken.items = arena_array(arena, suite->item_count * (TYPES_MAX + 1), sizeof *suite->items);
    for (size_t i = 0; i < suite->item_count; ++i)
        if (suite->items[i].matrix == OP_MATRIX_NONE)
            answer.taken.items[answer.taken.item_count++] = suite->items[i];
    for (size_t t = 0; t < answer.type_count; ++t)
        for (size_t i = 0; i < suite->item_count; ++i)
            if (suite->items[i].matrix != OP_MATRIX_NONE && !suite->items[i].is_declared_only &&
                (t == 0 || suite->items[i].matrix == OP_MATRIX_BOUNDARY))
                take_in_type(&answer, i, answer.types[t]);
    take_all_declared(&answer, arena);
    *suite = answer.taken;
}
