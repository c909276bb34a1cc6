// SPDX-License-Identifier: Apache-2.0
//
// Workers that died in a case, or right after it: records the outcome of a side, and finds the side at fault
// by running each side alone. A case that took too long as a whole is no side's fault.
#include <stdio.h>

#include "base/clock.h"
#include "base/strbuf.h"
#include "control/exec/job_internal.h"

int executor_keep_death(struct job *job, uint32_t side, const char *when, struct err *err) {
    const struct worker_end *end = &job->end;
    struct record record = {
        .kind = RECORD_CHECK,
        .phase = job->order->kind == WORK_CHECK ? PHASE_CHECK : PHASE_ROUND,
        .round = job->order->round,
        .attempt = job->order->attempt,
        .case_index = job->case_index,
        .side = side,
        .time_ns = clock_ns(),
        .check = {.outcome = worker_end_outcome(end)},
    };
    struct strbuf text = {0};
    strbuf_add(&text, when);
    worker_end_format(end, &text);
    snprintf(record.check.message, sizeof record.check.message, "%s", text.text);
    strbuf_fini(&text);
    return executor_keep(job->executor, &record, false, err);
}

int executor_keep_overtime(struct job *job, uint32_t mask, struct err *err) {
    for (uint32_t side = 0; side < job->executor->plan->side_count; ++side)
        if (mask >> side & 1) TRY(executor_keep_death(job, side, "while it was timed: ", err));
    return 0;
}

int executor_probe_sides(struct job *job, uint32_t mask, const char *when, uint32_t *ret_mask,
                         struct err *err) {
    int code = 0;
    *ret_mask = 0;
    for (uint32_t side = 0; side < job->executor->plan->side_count && code >= 0; ++side) {
        if (!(mask >> side & 1)) continue;
        struct arena arena = {0};
        struct work_order order;
        order_of_one_side(job->order, side, job->case_index, &arena, &order);
        struct job probe = {
            .mode = JOB_PROBE, .executor = job->executor, .order = &order, .side_map = {side}};
        code = job_run(&probe, err);
        const bool is_dead = code >= 0 && probe.fate != JOB_FINISHED;
        if (is_dead || probe.bad_mask) *ret_mask |= 1u << side;
        probe.end.is_after_results = job->end.is_after_results;
        if (is_dead) code = executor_keep_death(&probe, side, when, err);
        job_fini(&probe);
        arena_fini(&arena);
    }
    return code;
}

int executor_keep_late_death(struct job *job, uint32_t mask, uint32_t *ret_mask, struct err *err) {
    static const char when[] = "after its results were written, in release or in a destructor: ";
    job->end.is_after_results = true;
    *ret_mask = mask;
    if (mask && (mask & (mask - 1)) == 0)
        return executor_keep_death(job, (uint32_t)__builtin_ctz(mask), when, err);
    TRY(executor_probe_sides(job, mask, when, ret_mask, err));
    return *ret_mask ? 0 : job_keep_warning(job, err);
}
