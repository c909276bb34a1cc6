// SPDX-License-Identifier: Apache-2.0
//
// What does it mean that a worker ended without a goodbye? Before its first case it is an error of the run;
// in a case, or right after it, it is that case's outcome; when the worker itself gave up between cases it is
// a warning. And what does the user hear when a run cannot go on?
#include <stdio.h>

#include "base/clock.h"
#include "control/exec/job.h"

int executor_fail(struct executor *executor, int code, struct err *err) {
    const struct plan *plan = executor->plan;
    if (code >= 0) return code;
    if (executor->state) executor->state->has_failed = true;
    if (code != -ERR_CANCELLED) return code;
    return err_set(err, ERR_CANCELLED,
                   "interrupted; what was finished is kept: go on with 'assay %s --resume %s'",
                   plan->command ? plan->command : "run", executor->run_dir);
}

static int run_is_over(struct executor *executor, struct err *err) {
    const struct plan *plan = executor->plan;
    executor->is_over_limit = true;
    return err_set(err, ERR_UNAVAILABLE,
                   "the time limit of the run (%g s) has passed; what was finished is kept: go on with "
                   "'assay %s --resume %s', or raise limits.gate_s",
                   plan->run_limit_s, plan->command ? plan->command : "run", executor->run_dir);
}

static int keep_warning(struct job *job, struct err *err) {
    struct strbuf text = {0};
    struct record record = {.kind = RECORD_WARNING, .time_ns = clock_ns()};
    strbuf_add(&text, "a worker ended between two cases: it ");
    if (job->end.garbage)
        strbuf_addf(&text, "wrote something that is no record (%.200s)", job->end.garbage);
    else
        proc_status_format(&job->end.status, &text);
    record.text = text.text;
    int code = executor_keep(job->executor, &record, false, err);
    strbuf_fini(&text);
    return code;
}

int executor_judge_end(struct job *job, struct err *err) {
    const struct worker_end *end = &job->end;
    if (end->is_run_over) return run_is_over(job->executor, err);
    if (end->has_said_bye && !end->garbage) return 0;
    if (!job->has_begun) return worker_end_error(end, job->order, err);
    if (job->bad_mask)
        return 0; // it said what was wrong before it died: a fault in a guard page ends a worker so
    if (job->is_in_case) return EXECUTOR_DIED_IN;
    if (end->garbage || job->finished_count == 0 || worker_end_has_sentence(end))
        return keep_warning(job, err);
    return EXECUTOR_DIED_AFTER;
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
        if (code >= 0) code = executor_judge_end(&probe, err);
        if (code > 0 || probe.bad_mask) *ret_mask |= 1u << side;
        probe.end.is_after_results = job->end.is_after_results;
        if (code > 0) code = executor_keep_death(&probe, side, when, err);
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
    return *ret_mask ? 0 : keep_warning(job, err);
}

int executor_keep_death(struct job *job, uint32_t side, const char *when, struct err *err) {
    const struct worker_end *end = &job->end;
    const bool is_timeout = end->status.end == PROC_TIMEOUT && !end->garbage;
    struct record record = {
        .kind = RECORD_CHECK,
        .phase = job->order->kind == WORK_CHECK ? PHASE_CHECK : PHASE_ROUND,
        .round = job->order->round,
        .attempt = job->order->attempt,
        .case_index = job->case_index,
        .side = side,
        .time_ns = clock_ns(),
        .check = {.outcome = is_timeout ? OUTCOME_TIMEOUT : OUTCOME_CRASHED},
    };
    struct strbuf text = {0};
    strbuf_add(&text, when);
    worker_end_format(end, &text);
    snprintf(record.check.message, sizeof record.check.message, "%s", text.text);
    strbuf_fini(&text);
    return executor_keep(job->executor, &record, false, err);
}
