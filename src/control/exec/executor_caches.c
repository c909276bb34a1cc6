// SPDX-License-Identifier: Apache-2.0
//
// Compilers that kernels in Python call (Triton, torch.compile) take seconds for each host, and make the same of
// the same source. So the side is prepared once for all measured problems, by a host that gets no inputs: what
// its compilers have cached then holds no result of anything. It is frozen, and every later host of the side
// gets a copy of its own (worker/host/host_cache.h).
#include <stdlib.h>

#include "base/arena.h"
#include "base/file.h"
#include "control/exec/job_internal.h"

static int ignore_record(void *arg, const struct record *record, struct err *err) {
    (void)arg, (void)record, (void)err;
    return 0;
}

static const char *cache_of(const struct executor *executor, uint32_t side, struct arena *arena) {
    return arena_format(arena, "%s/%u", executor->state->cache_dir, side);
}

// An order that fails fills nothing; the checks find out why.
static int fill(struct executor *executor, const struct work_order *order, uint32_t side, struct arena *arena,
                struct err *err) {
    const struct worker_limits limits = {.case_s = executor->plan->sampling.limits.case_s,
                                         .run_deadline_ns = executor->deadline_ns};
    struct work_order one;
    struct worker_end end = {0};
    struct err why = {0};
    order_of_one_side(order, side, UINT32_MAX, arena, &one);
    one.kind = WORK_SUPPORTS;
    one.sides[0].cache_dir = cache_of(executor, side, arena);
    if (!one.case_count || !worker_is_forked(&one)) return 0;
    if (executor->progress) progress_show(executor->progress, "compiling", "kernels");
    const int code = worker_run(&one, &limits, ignore_record, NULL, &end, &why);
    worker_end_fini(&end);
    executor->state->has_cache[side] = code >= 0 && file_is_dir(one.sides[0].cache_dir);
    return code == -ERR_CANCELLED ? err_set(err, why.code, "%s", why.text) : 0;
}

int executor_fill_caches(struct executor *executor, struct err *err) {
    const struct plan *plan = executor->plan;
    const struct plan_round all = {0};
    struct arena arena = {0};
    struct work_order order;
    int code = 0;
    if (executor->state->has_caches || plan->sampling.isolation != ISOLATION_PROCESS || !plan->case_count)
        return 0;
    executor->state->has_caches = true;
    (void)file_remove_tree(executor->state->cache_dir, NULL); // of a run that was killed
    code = file_make_dirs(executor->state->cache_dir, err);
    plan_round_order(plan, &all, &arena, &order);
    for (uint32_t side = 0; code >= 0 && side < order.side_count; ++side)
        if (order.sides[side].python) code = fill(executor, &order, side, &arena, err);
    arena_fini(&arena);
    return code;
}

void executor_name_caches(const struct executor *executor, const uint32_t map[WORK_SIDES_MAX],
                          struct arena *arena, struct work_order *order) {
    for (uint32_t side = 0; side < order->side_count; ++side)
        if (executor->state->has_cache[map[side]])
            order->sides[side].cache_dir = cache_of(executor, map[side], arena);
}
