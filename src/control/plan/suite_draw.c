// SPDX-License-Identifier: Apache-2.0
//
// Problems of a check that are drawn anew in every run, so that a fixed list cannot be learned.
#include <string.h>

#include "base/strbuf.h"
#include "control/plan/suite.h"
#include "op/declared/declared.h"

#define CANDIDATES_MAX (8 * SUITE_DRAWN_MAX) // a kernel may take few of them

// Dense in half of them, else one of those that every kernel has to take; modules of PyTorch are given none.
static enum memory_layout draw_memory_layout(const struct operator_def *op, struct dice *dice) {
    const struct declared *declared = declared_of(op);
    if ((declared && declared->module) || dice_below(dice, 2)) return MEMORY_LAYOUT_DENSE;
    return dice_below(dice, 2) ? MEMORY_LAYOUT_PADDED : MEMORY_LAYOUT_OFFSET;
}

// False: the operator has no such problem.
static bool draw_item(const struct suite_item *first, struct dice *dice, struct suite_item *ret) {
    const struct operator_def *op = first->problem.op;
    struct strbuf fields = {0};
    op->draw(op, dice, &fields);
    *ret = (struct suite_item){.distribution = OP_DISTRIBUTION_DEFAULT,
                               .memory_layout = draw_memory_layout(op, dice),
                               .matrix = first->matrix,
                               .is_dtype_named = first->is_dtype_named,
                               .tolerance = first->tolerance,
                               .is_declared_only = true,
                               .is_drawn = true};
    const int code =
        problem_make_in(op, problem_dtype_field(&first->problem), strbuf_text(&fields), &ret->problem, NULL);
    strbuf_fini(&fields);
    return code == 0;
}

void suite_add_drawn(struct suite *suite, struct dice *dice, struct arena *arena) {
    struct suite ret = *suite;
    const struct suite_item *first = suite->items, *const end = first + suite->item_count;
    if (!suite->is_drawn_from) return;
    while (first < end && first->matrix != OP_MATRIX_BOUNDARY) ++first;
    if (first == end) return;
    ret.items = arena_array(arena, suite->item_count + CANDIDATES_MAX, sizeof *ret.items);
    memcpy(ret.items, suite->items, suite->item_count * sizeof *ret.items);
    for (size_t i = 0; i < CANDIDATES_MAX; ++i) {
        struct suite_item *item = &ret.items[ret.item_count];
        if (draw_item(first, dice, item) && !suite_has(&ret, item)) ++ret.item_count;
    }
    *suite = ret;
}
