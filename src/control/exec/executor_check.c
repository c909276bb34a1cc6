// SPDX-License-Identifier: Apache-2.0
//
// The check matrix of a run. One worker checks all cases; when it dies, the case it was in gets its outcome
// and another worker does the rest.
#include <stdlib.h>

#include "base/mem.h"
#include "control/exec/job_internal.h"

// Sides of a case of the matrix that have no outcome yet.
static uint32_t open_sides(const struct executor *executor, uint32_t index) {
    uint32_t mask = 0;
    for (uint32_t side = 0; side < executor->plan->side_count; ++side) {
        const bool takes_part = executor->plan->check_side_mask >> side & 1;
        if (takes_part && executor->result->checks[index].checks[side].outcome == OUTCOME_NONE)
            mask |= 1u << side;
    }
    return mask;
}

static uint32_t lowest_side(uint32_t mask) {
    return (uint32_t)__builtin_ctz(mask);
}

static int judge_checks(struct job *job, bool is_second, struct err *err);

// Checks a side whose process was killed from outside once more, alone in a fresh worker. That answer stands.
static int check_again(struct job *job, uint32_t side, struct err *err) {
    struct arena arena = {0};
    struct work_order order;
    struct job again = {.mode = JOB_CHECK, .executor = job->executor, .order = &order, .side_map = {side}};
    // The order may be of one side already (run_pass).
    order_of_one_side(job->order, job->order->side_count > 1 ? side : 0, job->case_index, &arena, &order);
    int code = job_run(&again, err);
    if (code >= 0) code = judge_checks(&again, true, err);
    job_fini(&again);
    arena_fini(&arena);
    return code;
}

// 1: the worker left, and may not have checked anything.
static int judge_checks(struct job *job, bool is_second, struct err *err) {
    if (job->fate == JOB_LEFT) return 1;
    struct executor *executor = job->executor;
    uint32_t dead_mask = 0;
    if (job->fate == JOB_FINISHED) {
        if (job->finished_count > 0) return 0;
        return err_set(err, ERR_INTERNAL, "a worker ended well but checked nothing");
    }
    if (job->fate == JOB_KILLED && !job->is_in_case) {
        TRY(executor_confirm_kill(job, &dead_mask, err));
        if (!dead_mask) return job_keep_warning(job, err);
    } else if (job->fate == JOB_DIED_AFTER_CASE) {
        TRY(executor_keep_late_death(job, job->case_mask, &dead_mask, err));
    } else {
        const uint32_t open = open_sides(executor, job->case_index) & job->case_mask;
        uint32_t side = job->case_side;
        if (job->killed_side != RECORD_SIDE_ALL) side = job->killed_side;
        if (side == RECORD_SIDE_ALL) side = lowest_side(open ? open : job->case_mask);
        if (job->fate == JOB_KILLED && !is_second) return check_again(job, side, err);
        TRY(executor_keep_death(job, side, "", err));
        dead_mask = 1u << side;
    }
    for (uint32_t side = 0; side < executor->plan->side_count && executor->on_check; ++side) {
        if (dead_mask >> side & 1) executor->on_check(executor->arg, executor->result, job->case_index, side);
    }
    return 0;
}

// Checks all open cases in one worker. Sides that must not share a process get workers of their own.
static int run_pass(struct executor *executor, const uint32_t *indices, size_t count, struct err *err) {
    struct arena arena = {0};
    struct work_order order;
    struct job job = {.mode = JOB_CHECK, .executor = executor, .order = &order};
    uint32_t any_mask = 0;
    plan_check_order(executor->plan, indices, count, &arena, &order);
    order.reference_dir = executor->state->reference_dir;
    for (size_t i = 0; i < order.case_count; ++i) {
        order.cases[i].side_mask = open_sides(executor, order.cases[i].index);
        any_mask |= order.cases[i].side_mask;
    }
    job_map_all(&job);
    if (executor->plan->needs_two_processes) {
        const struct work_order all = order;
        job.side_map[0] = lowest_side(any_mask);
        order_of_one_side(&all, job.side_map[0], UINT32_MAX, &arena, &order);
    }
    executor_add_references(executor, &arena, &order);
    int code = job_run(&job, err);
    executor->state->has_references |= job.has_begun;
    if (code >= 0) code = judge_checks(&job, false, err);
    job_fini(&job);
    arena_fini(&arena);
    return code;
}

int executor_run_checks(struct executor *executor, struct err *err) {
    const size_t check_count = executor->plan->check_count;
    uint32_t *indices = mem_alloc(check_count * sizeof *indices);
    int code = executor_fill_caches(executor, err);
    size_t sides_before = SIZE_MAX;
    while (code >= 0) {
        size_t count = 0, sides = 0;
        for (uint32_t i = 0; i < check_count; ++i) {
            const uint32_t mask = open_sides(executor, i);
            if (mask) indices[count++] = i;
            sides += (size_t)__builtin_popcount(mask);
        }
        if (count == 0) break;
        if (sides >= sides_before) BUG("a worker answered, but no case got an outcome");
        sides_before = sides;
        code = run_pass(executor, indices, count, err);
        if (code <= 0) continue;
        sides_before = SIZE_MAX;
        code = 0;
    }
    free(indices);
    if (code < 0) return executor_fail(executor, code, err);
    return executor_run_references(executor, err); // nothing is left of them unless nothing was to be checked
}
