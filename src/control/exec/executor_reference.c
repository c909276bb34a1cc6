// SPDX-License-Identifier: Apache-2.0
//
// The phase before checks and rounds in which a worker of its own computes the references of declared
// operators: for every measured problem, where none is measured for the first one that is checked. A
// reference that is at fault ends the run here, before a kernel is blamed or anything is timed; what it
// computes lies in the run's folder, from where the workers of the rounds load it.
#include "base/arena.h"
#include "control/exec/executor_internal.h"
#include "record/declared_members.h"

// Of an order whose worker shows that it is alive while a reference runs (work_own_begin).
#define SILENCE_LIMIT_S 60

static void make_order(const struct executor *executor, struct arena *arena, struct work_order *ret) {
    const struct plan *plan = executor->plan;
    const struct plan_round all = {0};
    const uint32_t first = 0;
    if (plan->case_count)
        plan_round_order(plan, &all, arena, ret);
    else
        plan_check_order(plan, &first, plan->check_count ? 1 : 0, arena, ret);
    ret->kind = WORK_REFERENCE;
    ret->side_count = 0;
    ret->reference_dir = executor->state->reference_dir;
    size_t count = 0;
    for (size_t i = 0; i < ret->case_count; ++i) {
        if (!declared_of(ret->cases[i].problem.op)) continue;
        ret->cases[count] = ret->cases[i];
        ret->cases[count++].side_mask = 0;
    }
    ret->case_count = count;
}

// What is not the reference's fault (no memory for such a problem) the case itself says later.
static int on_record(void *arg, const struct record *record, struct err *err) {
    struct executor *executor = arg;
    if (executor->progress) progress_show(executor->progress, "computing", "references");
    if (record->kind != RECORD_CHECK || record->check.outcome != OUTCOME_NOT_VALID) return 0;
    return err_set(err, ERR_DATA, "%s", record->check.message);
}

int executor_run_references(struct executor *executor, struct err *err) {
    struct arena arena = {0};
    struct work_order order;
    int code = 0;
    if (executor->state->has_references) return 0;
    executor->state->has_references = true;
    if (!executor->plan->operators.declared_count) return 0;
    make_order(executor, &arena, &order);
    if (order.case_count) code = executor_query(&order, SILENCE_LIMIT_S, on_record, executor, err);
    arena_fini(&arena);
    return executor_fail(executor, code, err);
}
