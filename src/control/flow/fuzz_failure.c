// SPDX-License-Identifier: Apache-2.0
//
// See fuzz_failure.h.
#include "control/flow/fuzz_failure.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "control/exec/executor.h"
#include "control/flow/shrink.h"

#define SHRINK_TRIES_MAX 400
#define SHRINK_BUDGET_S  20.0
#define SHRINK_CASE_S    10.0 // of one try, where running out of time is not what is looked for

// The limit of one try: that of the run where the case ran out of it, so that the sentence is true.
static double try_limit_s(const struct run *run, const struct check_result *like) {
    const double limit_s = run->plan.sampling.limits.case_s;
    if (like->outcome == OUTCOME_TIMEOUT) return limit_s;
    return limit_s > 0 && limit_s < SHRINK_CASE_S ? limit_s : SHRINK_CASE_S;
}

// A failure, and how the last try that failed like it did.
struct alike {
    const struct run *run;
    uint32_t side;
    const struct result_case *failing;
    struct check_result check;
};

// Whether the kernel fails on the last of these problems in the way of the failure, after the others, in a
// fresh worker and with the failure's inputs.
static int list_fails_alike(struct alike *alike, const struct problem *problems, size_t count,
                            struct err *err) {
    const struct result *result = &alike->run->result;
    const struct result_case *failing = alike->failing;
    const struct check_result *like = &failing->checks[alike->side];
    struct work_case *items = mem_alloc(count * sizeof *items);
    for (size_t i = 0; i < count; ++i)
        items[i] = (struct work_case){.index = (uint32_t)i,
                                      .problem = problems[i],
                                      .distribution = failing->distribution,
                                      .memory_layout = failing->memory_layout,
                                      .tolerance = failing->tolerance,
                                      .seed = failing->seed,
                                      .side_mask = 1};
    struct work_order order = {
        .kind = WORK_CHECK,
        .operators = alike->run->plan.operators,
        .device = str_or(result->environment.device, "cpu"),
        .sim = alike->run->plan.sim,
        .thread_count = result->thread_count,
        .seed = result->seed,
        .repeat_count = result->repeat_count,
        .side_count = 1,
        .case_count = count,
        .cases = items,
        .sampling = result->sampling,
    };
    struct check_result check;
    order.sides[0] = work_side_of(&result->sides[alike->side]);
    const int code = executor_check_alone(&order, try_limit_s(alike->run, like), &check, err);
    free(items);
    if (code < 0) return code;
    if (check.outcome != like->outcome || check.finding != like->finding) return 0;
    alike->check = check;
    return 1;
}

// shrink_fails_fn
static int fails_alike(void *arg, const struct problem *problem, struct err *err) {
    return list_fails_alike(arg, problem, 1, err);
}

int fuzz_fails_alone(const struct run *run, uint32_t side, const struct result_case *failing,
                     struct err *err) {
    struct alike alike = {.run = run, .side = side, .failing = failing};
    return fails_alike(&alike, &failing->problem, err);
}

// ---- the problems before it ----

struct before {
    struct alike alike;
    uint64_t deadline_ns;
    struct problem *problems; // the list, and the failing problem behind it
    size_t count;             // without the failing one
};

// A worker that does not come to the last problem is no failure like it.
static bool fails_after(struct before *before, const struct problem *problems, size_t count) {
    struct err ignored = {0};
    return clock_ns() < before->deadline_ns &&
           list_fails_alike(&before->alike, problems, count + 1, &ignored) > 0;
}

// Leaves out as many as can be left out one by one.
static void leave_out(struct before *before) {
    for (size_t i = 0; i < before->count && before->count > 1;) {
        struct problem *kept = mem_alloc((before->count + 1) * sizeof *kept);
        memcpy(kept, before->problems, i * sizeof *kept);
        memcpy(kept + i, before->problems + i + 1, (before->count - i) * sizeof *kept);
        if (fails_after(before, kept, before->count - 1))
            memcpy(before->problems, kept, before->count-- * sizeof *kept);
        else
            ++i;
        free(kept);
    }
}

size_t fuzz_find_before(const struct run *run, uint32_t side, size_t failing,
                        struct problem ret[FUZZ_BEFORE_MAX]) {
    const struct result *result = &run->result;
    struct before before = {.alike = {.run = run, .side = side, .failing = &result->checks[failing]},
                            .deadline_ns = clock_ns() + (uint64_t)(SHRINK_BUDGET_S * 1e9),
                            .problems = mem_alloc((failing + 1) * sizeof *before.problems)};
    size_t found = 0;
    // 1, 2, 4, ... right before it
    for (size_t wanted = 1; !found && failing; wanted = 2 * wanted < failing ? 2 * wanted : failing) {
        for (size_t i = 0; i <= wanted; ++i)
            before.problems[i] = result->checks[failing - wanted + i].problem;
        before.count = wanted;
        if (fails_after(&before, before.problems, wanted)) found = wanted;
        if (wanted == failing) break;
    }
    if (found > 1) leave_out(&before);
    found = found && before.count <= FUZZ_BEFORE_MAX ? before.count : 0;
    memcpy(ret, before.problems, found * sizeof *ret);
    free(before.problems);
    return found;
}

// ---- shrinking ----

int fuzz_shrink(const struct run *run, uint32_t side, const struct result_case *failing,
                struct problem *ret_problem, struct check_result *ret_check, struct err *err) {
    struct alike alike = {.run = run, .side = side, .failing = failing};
    const struct shrink shrink = {.fails = fails_alike,
                                  .arg = &alike,
                                  .tries_max = SHRINK_TRIES_MAX,
                                  .deadline_ns = clock_ns() + (uint64_t)(SHRINK_BUDGET_S * 1e9)};
    const double limit_s = try_limit_s(run, &failing->checks[side]);
    if (!(limit_s > 0 && limit_s <= SHRINK_BUDGET_S)) return 0;
    const int code = shrink_problem(&shrink, &failing->problem, ret_problem, err);
    if (code > 0) *ret_check = alike.check;
    return code;
}
