// SPDX-License-Identifier: Apache-2.0
//
// The dtypes of a matrix follow the kernel: which ones there are to ask about, and the matrix in those that
// it supports.
#include "control/plan/suite.h"
#include "op/dtype.h"

// The item in dtype number `type`: 0 its own, else of enum assay_dtype. False: there is none.
static bool item_in_type(const struct suite_item *item, int32_t type, struct suite_item *ret) {
    *ret = *item;
    if (type == 0) return true;
    const char *name = dtype_name(type);
    return name && !str_equal(name, problem_dtype_name(&item->problem)) &&
           problem_retype(&item->problem, name, &ret->problem, NULL) == 0 &&
           problem_check_distribution(&ret->problem, ret->distribution, NULL) == 0;
}

size_t suite_type_cases(const struct suite *suite, struct arena *arena, struct work_case **ret) {
    size_t count = 0;
    *ret = arena_array(arena, suite->item_count * SUITE_TYPES_MAX + 1, sizeof **ret);
    for (int32_t type = 0; type < SUITE_TYPES_MAX; ++type) {
        for (size_t i = 0; i < suite->item_count; ++i) {
            struct suite_item item;
            if (suite->items[i].matrix == OP_MATRIX_NONE || !item_in_type(&suite->items[i], type, &item))
                continue;
            (*ret)[count++] = (struct work_case){.index = (uint32_t)type,
                                                 .problem = item.problem,
                                                 .distribution = item.distribution,
                                                 .memory_layout = item.memory_layout,
                                                 .side_mask = 1};
        }
    }
    return count;
}

void suite_take_types(struct suite *suite, const bool is_supported[SUITE_TYPES_MAX], bool is_one,
                      struct arena *arena) {
    struct suite taken = *suite;
    bool is_first = true;
    taken.item_count = 0;
    taken.items = arena_array(arena, suite->item_count * (SUITE_TYPES_MAX + 1) + 1, sizeof *taken.items);
    for (size_t i = 0; i < suite->item_count; ++i)
        if (suite->items[i].matrix == OP_MATRIX_NONE) taken.items[taken.item_count++] = suite->items[i];
    for (int32_t type = 0; type < SUITE_TYPES_MAX; ++type) {
        if (!is_supported[type]) continue;
        for (size_t i = 0; i < suite->item_count; ++i) {
            const bool is_wanted = is_first || (suite->items[i].matrix == OP_MATRIX_BOUNDARY && !is_one);
            struct suite_item *item = &taken.items[taken.item_count];
            if (suite->items[i].matrix == OP_MATRIX_NONE || !is_wanted) continue;
            taken.item_count += item_in_type(&suite->items[i], type, item);
        }
        is_first = false;
    }
    if (!is_first) *suite = taken;
}
