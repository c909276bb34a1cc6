// SPDX-License-Identifier: Apache-2.0
//
// Work orders drawn from a plan. The same plan, round and attempt give the same order, on every machine and
// after every resume. Which cases are still to be done is decided in exec/.
#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"
#include "control/plan/plan.h"

static struct work_case work_case_make(const struct plan_case *item, uint32_t index, uint32_t side_mask) {
    return (struct work_case){
        .index = index,
        .problem = item->problem,
        .short_name = item->short_name,
        .distribution = item->distribution,
        .memory_layout = item->memory_layout,
        .tolerance = item->tolerance,
        .seed = item->seed,
        .side_mask = side_mask,
    };
}

struct work_side work_side_of(const struct result_side *side) {
    return (struct work_side){
        .label = side->label,
        .module_path = side->module_path,
        .module_hash = side->build.module_hash,
        .kernel_name = side->kernel_name,
        .is_plain_call = side->is_plain_call,
        .tolerance = side->tolerance,
        .sim = side->sim,
        .op = side->op,
        .python = side->python,
        .python_path = side->python_path,
        .python_interpreter = side->python_interpreter,
    };
}

static struct work_order order_make(const struct plan *plan, enum work_kind kind) {
    struct work_order order = {
        .kind = kind,
        .operators = plan->operators,
        .device = plan->device,
        .sim = plan->sim,
        .thread_count = plan->thread_count,
        .processors = plan->processors,
        .seed = plan->seed,
        .repeat_count = plan->repeat_count,
        .side_count = plan->side_count,
        .sampling = plan->sampling,
    };
    for (size_t i = 0; i < plan->side_count; ++i) order.sides[i] = work_side_of(&plan->sides[i]);
    return order;
}

// The order is drawn over all cases; then those that are not wanted are left out.
void plan_round_order(const struct plan *plan, const struct plan_round *wanted, struct arena *arena,
                      struct work_order *ret) {
    const uint32_t *case_indices = wanted->case_indices;
    const uint32_t all_sides = (uint32_t)((1u << plan->side_count) - 1);
    const uint32_t plan_count = (uint32_t)plan->case_count;
    uint32_t *drawn = mem_alloc(plan_count * sizeof *drawn);
    bool *is_wanted = mem_alloc(plan_count * sizeof *is_wanted);
    for (uint32_t i = 0; i < plan_count; ++i) {
        drawn[i] = i;
        is_wanted[i] = case_indices == NULL;
    }
    for (size_t i = 0; case_indices && i < wanted->case_count; ++i) {
        if (case_indices[i] >= plan_count)
            BUG("case %u of %u", (unsigned)case_indices[i], (unsigned)plan_count);
        is_wanted[case_indices[i]] = true;
    }
    rng_shuffle(drawn, plan_count, plan->seed, rng_stream("round order") + wanted->round);
    struct work_order order = order_make(plan, WORK_ROUND);
    order.round = wanted->round;
    order.attempt = wanted->attempt;
    order.is_first_side_flipped = (wanted->round & 1) != 0;
    order.cases = arena_array(arena, plan_count, sizeof *order.cases);
    for (uint32_t i = 0; i < plan_count; ++i) {
        if (!is_wanted[drawn[i]]) continue;
        order.cases[order.case_count++] = work_case_make(&plan->cases[drawn[i]], drawn[i], all_sides);
    }
    free(drawn);
    free(is_wanted);
    *ret = order;
}

void plan_check_order(const struct plan *plan, const uint32_t *case_indices, size_t case_count,
                      struct arena *arena, struct work_order *ret) {
    struct work_order order = order_make(plan, WORK_CHECK);
    order.case_count = case_indices ? case_count : plan->check_count;
    order.cases = arena_array(arena, order.case_count, sizeof *order.cases);
    for (size_t i = 0; i < order.case_count; ++i) {
        const uint32_t index = case_indices ? case_indices[i] : (uint32_t)i;
        if (index >= plan->check_count) BUG("check %u of %zu", (unsigned)index, plan->check_count);
        order.cases[i] = work_case_make(&plan->checks[index], index, plan->check_side_mask);
    }
    *ret = order;
}

static struct result_case *result_cases(const struct plan_case *cases, size_t count, struct arena *arena) {
    struct result_case *copies = arena_array(arena, count, sizeof *copies);
    for (size_t i = 0; i < count; ++i) {
        copies[i].index = (uint32_t)i;
        copies[i].problem = cases[i].problem;
        copies[i].work = case_work_of(&cases[i].problem);
        copies[i].short_name = arena_strdup(arena, cases[i].short_name);
        copies[i].distribution = arena_strdup(arena, cases[i].distribution);
        copies[i].memory_layout = cases[i].memory_layout;
        copies[i].tolerance = own_tolerance_copy(arena, cases[i].tolerance);
        copies[i].seed = cases[i].seed;
    }
    return copies;
}

int plan_result(const struct plan *plan, struct result *ret, struct err *err) {
    if (plan->side_count == 0 || plan->side_count > WORK_SIDES_MAX) {
        return err_set(err, ERR_DATA, "a plan needs 1 to %d sides, but this one has %zu", WORK_SIDES_MAX,
                       plan->side_count);
    }
    struct result result;
    result_init(&result);
    struct arena *arena = &result.arena;
    result.run_id = arena_strdup(arena, plan->run_id);
    result.command = arena_strdup(arena, plan->command_line ? plan->command_line : plan->command);
    result.created_utc = arena_strdup(arena, plan->created_utc);
    result.suite = arena_strdup(arena, plan->suite);
    result.check_suite = arena_strdup(arena, plan->check_suite);
    result.not_checked = arena_strdup(arena, plan->not_checked);
    result.seed = plan->seed;
    result.repeat_count = plan->repeat_count;
    result.thread_count = plan->thread_count;
    result.manifest = arena_strdup(arena, plan->manifest);
    result.policy = policy_copy(arena, plan->gate.policy);
    if (plan->target_speedup > 0) result.target_speedup = plan->target_speedup;
    if (plan->cost_per_hour > 0) result.cost_per_hour = plan->cost_per_hour;
    if (plan->sampling.cache_mode != CACHE_INVALID) result.sampling = plan->sampling;
    result.side_count = plan->side_count;
    for (size_t i = 0; i < plan->side_count; ++i) result.sides[i] = result_side_copy(arena, &plan->sides[i]);
    result.check_count = plan->check_count;
    result.checks = result_cases(plan->checks, plan->check_count, arena);
    result.case_count = plan->case_count;
    result.cases = result_cases(plan->cases, plan->case_count, arena);
    *ret = result;
    return 0;
}
