// SPDX-License-Identifier: Apache-2.0
//
// Workers that died in a case, or right after it: records the outcome of a side, and finds the side at fault
// by running each side alone. A case that took too long as a whole is no side's fault.
#include <stdio.h>

#include "base/clock.h"
#include "base/str.h"
#include "base/strbuf.h"
#include "control/exec/job_internal.h"

// Whether what ended the job can be a kernel's doing. It cannot signal a worker from a process of its own.
static bool may_be_kernels(const struct job *job) {
    return job->fate != JOB_KILLED || job->killed_side != RECORD_SIDE_ALL ||
           job->order->sampling.isolation != ISOLATION_PROCESS;
}

static void end_format(const struct job *job, struct strbuf *out) {
    if (*job->killed_text)
        strbuf_add(out, job->killed_text);
    else
        worker_end_format(&job->end, out);
}

int executor_keep_death(struct job *job, uint32_t side, const char *when, struct err *err) {
    struct record record = {
        .kind = RECORD_CHECK,
        .phase = job->order->kind == WORK_CHECK ? PHASE_CHECK : PHASE_ROUND,
        .round = job->order->round,
        .attempt = job->order->attempt,
        .case_index = job->case_index,
        .side = side,
        .time_ns = clock_ns(),
        .check = {.outcome = *job->killed_text ? OUTCOME_CRASHED : worker_end_outcome(&job->end)},
    };
    if (!may_be_kernels(job)) record.check.outcome = OUTCOME_NOT_VALID;
    struct strbuf text = {0};
    strbuf_add(&text, when);
    end_format(job, &text);
    snprintf(record.check.message, sizeof record.check.message, "%s", text.text);
    strbuf_fini(&text);
    return executor_keep(job->executor, &record, false, err);
}

int executor_keep_overtime(struct job *job, uint32_t mask, struct err *err) {
    for (uint32_t side = 0; side < job->executor->plan->side_count; ++side)
        if (mask >> side & 1) TRY(executor_keep_death(job, side, "while it was timed: ", err));
    return 0;
}

// Runs the job's case with that side alone. 1: it died there, which is recorded, or its check failed.
static int probe_side(struct job *job, uint32_t side, const char *when, struct err *err) {
    struct arena arena = {0};
    struct work_order order;
    // The order may be of one side already (executor_check.c).
    order_of_one_side(job->order, job->order->side_count > 1 ? side : 0, job->case_index, &arena, &order);
    struct job probe = {.mode = JOB_PROBE, .executor = job->executor, .order = &order, .side_map = {side}};
    int code = job_run(&probe, err);
    // A signal from outside that is the first one proves nothing here, either.
    if (code >= 0 && probe.fate == JOB_KILLED && job->fate != JOB_KILLED) {
        job_fini(&probe);
        probe =
            (struct job){.mode = JOB_PROBE, .executor = job->executor, .order = &order, .side_map = {side}};
        code = job_run(&probe, err);
    }
    const bool is_dead = code >= 0 && probe.fate != JOB_FINISHED && may_be_kernels(&probe);
    const bool is_found = is_dead || probe.bad_mask;
    probe.end.is_after_results = job->end.is_after_results;
    if (is_dead) code = executor_keep_death(&probe, side, when, err);
    job_fini(&probe);
    arena_fini(&arena);
    return code < 0 ? code : is_found;
}

int executor_probe_sides(struct job *job, uint32_t mask, const char *when, uint32_t *ret_mask,
                         struct err *err) {
    *ret_mask = 0;
    for (uint32_t side = 0; side < job->executor->plan->side_count; ++side) {
        if (!(mask >> side & 1)) continue;
        const int code = probe_side(job, side, when, err);
        TRY(code);
        if (code) *ret_mask |= 1u << side;
    }
    return 0;
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

int executor_keep_lost(struct job *job, enum invalid_cause cause, const char *text, struct err *err) {
    struct strbuf reason = {0};
    struct record record = {.kind = RECORD_CASE_STATE,
                            .phase = PHASE_ROUND,
                            .round = job->order->round,
                            .attempt = job->order->attempt,
                            .case_index = job->case_index,
                            .time_ns = clock_ns(),
                            .state = device_state_unknown(),
                            .invalid_cause = cause};
    strbuf_add(&reason, text);
    end_format(job, &reason);
    record.text = reason.text;
    const int code = executor_keep(job->executor, &record, false, err);
    strbuf_fini(&reason);
    return code;
}

// ---- signals from outside ----

// The sides whose process it may have been.
static uint32_t suspect_mask(const struct job *job) {
    if (!may_be_kernels(job)) return 0;
    if (job->killed_side != RECORD_SIDE_ALL) return 1u << job->killed_side;
    if (!job->is_in_case) return job->case_mask;
    return job->case_side != RECORD_SIDE_ALL ? 1u << job->case_side : job_awaited_mask(job);
}

int executor_confirm_kill(struct job *job, uint32_t *ret_mask, struct err *err) {
    return executor_probe_sides(job, suspect_mask(job),
                                "twice, the second time alone in a fresh process: ", ret_mask, err);
}

int executor_judge_kill(struct job *job, struct err *err) {
    uint32_t found_mask = 0;
    TRY(executor_confirm_kill(job, &found_mask, err));
    if (found_mask) return 0;
    if (!job->is_in_case) return job_keep_warning(job, err);
    char text[256] = "the worker was ended from outside: ";
    if (job->killed_side != RECORD_SIDE_ALL)
        snprintf(text, sizeof text,
                 "the process of side '%.100s' was ended from outside, and not again alone: ",
                 str_or(job->executor->plan->sides[job->killed_side].label, ""));
    return executor_keep_lost(job, INVALID_CAUSE_KILLED_FROM_OUTSIDE, text, err);
}
