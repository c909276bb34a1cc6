// SPDX-License-Identifier: Apache-2.0
//
// What comes before checks and rounds: a worker computes the references of declared operators, for every
// measured problem, where none is measured for the first one that is checked. Where there are checks it is
// theirs: an interpreter that it has started serves them, too. A reference that is at fault ends the run
// here, before a kernel is blamed or anything is timed; what it computes lies in the run's folder, from where
// the workers of the rounds load it.
#include "base/arena.h"
#include "control/exec/executor_internal.h"
#include "record/declared_members.h"

// Of an order whose worker shows that it is alive while a reference runs (work_own_begin).
#define SILENCE_LIMIT_S 60

void executor_add_references(const struct executor *executor, struct arena *arena, struct work_order *order) {
    const struct plan *plan = executor->plan;
    const struct plan_round all = {0};
    const uint32_t first = 0;
    struct work_order from;
    if (executor->state->has_references || !plan->operators.declared_count) return;
    if (plan->case_count)
        plan_round_order(plan, &all, arena, &from);
    else
        plan_check_order(plan, &first, plan->check_count ? 1 : 0, arena, &from);
    struct work_case *cases = arena_array(arena, order->case_count + from.case_count, sizeof *cases);
    for (size_t i = 0; i < order->case_count; ++i) cases[i] = order->cases[i];
    for (size_t i = 0; i < from.case_count; ++i) {
        const struct declared *declared = declared_of(from.cases[i].problem.op);
        if (!declared || declared_is_timed_only(declared)) continue;
        cases[order->case_count] = from.cases[i];
        cases[order->case_count].side_mask = 0;
        cases[order->case_count++].index |= WORK_CASE_REFERENCE;
    }
    order->cases = cases;
}

static int on_record(void *arg, const struct record *record, struct err *err) {
    struct executor *executor = arg;
    (void)record;
    (void)err;
    executor_show_references(executor);
    return 0;
}

void executor_show_references(const struct executor *executor) {
    if (executor->progress) progress_show(executor->progress, "computing", "references");
}

int executor_run_references(struct executor *executor, struct err *err) {
    struct arena arena = {0};
    struct work_order order;
    int code = 0;
    plan_check_order(executor->plan, NULL, 0, &arena, &order);
    order.kind = WORK_REFERENCE;
    order.side_count = order.case_count = 0;
    order.reference_dir = executor->state->reference_dir;
    executor_add_references(executor, &arena, &order);
    executor->state->has_references = true;
    if (order.case_count) code = executor_query(&order, SILENCE_LIMIT_S, on_record, executor, err);
    arena_fini(&arena);
    return executor_fail(executor, code, err);
}
