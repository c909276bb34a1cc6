// SPDX-License-Identifier: Apache-2.0
//
// What does a worker's word count? Every record is held against the order before it is journaled and folded;
// what was not asked for ends the worker. How a dead worker's case is recorded is executor_death.c.
#include "control/exec/job.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/strbuf.h"

int executor_keep(struct executor *executor, const struct record *record, bool is_later, struct err *err) {
    TRY(is_later ? journal_add_later(executor->journal, record, err)
                 : journal_add(executor->journal, record, err));
    return result_add_record(executor->result, record, err);
}

void job_map_all(struct job *job) {
    for (uint32_t i = 0; i < WORK_SIDES_MAX; ++i) job->side_map[i] = i;
}

static const struct work_case *order_case(const struct work_order *order, uint32_t case_index) {
    for (size_t i = 0; i < order->case_count; ++i) {
        if (order->cases[i].index == case_index) return &order->cases[i];
    }
    return NULL;
}

static uint32_t plan_mask(const struct job *job, uint32_t order_mask) {
    uint32_t mask = 0;
    for (uint32_t i = 0; i < job->order->side_count; ++i) {
        if (order_mask >> i & 1) mask |= 1u << job->side_map[i];
    }
    return mask;
}

// Holds a record about a case against the order, and turns its side into the plan's.
static int admit(const struct job *job, struct record *record, struct err *err) {
    const struct work_order *order = job->order;
    const struct work_case *item = order_case(order, record->case_index);
    const enum phase phase = order->kind == WORK_CHECK ? PHASE_CHECK : PHASE_ROUND;
    if (!item || record->phase != phase || record->round != order->round ||
        record->attempt != order->attempt) {
        return err_set(
            err, ERR_DATA, "a record of kind '%s' about case %lu of phase '%s', which was not asked for",
            record_kind_name(record->kind), (unsigned long)record->case_index, phase_name(record->phase));
    }
    if (record->kind == RECORD_CASE_STATE || record->side == RECORD_SIDE_ALL) return 0;
    if (record->side >= order->side_count || !(item->side_mask >> record->side & 1)) {
        return err_set(err, ERR_DATA, "a record about side %lu of case %lu, which was not asked for",
                       (unsigned long)record->side, (unsigned long)record->case_index);
    }
    record->side = job->side_map[record->side];
    return 0;
}

uint32_t job_awaited_mask(const struct job *job) {
    uint32_t mask = job->case_mask;
    for (uint32_t side = 0; side < WORK_SIDES_MAX; ++side) {
        if (executor_has_failed_side(job->executor->result, job->case_index, side)) mask &= ~(1u << side);
    }
    return mask;
}

// To the journal with all of it, and one fsync at the end.
static int keep_measurement(struct job *job, struct err *err) {
    struct measurement *measurement = &job->measurement;
    measurement_judge(measurement, job->order->sampling.sample_count);
    for (uint32_t side = 0; side < WORK_SIDES_MAX; ++side) {
        if (measurement->samples[side].kind == RECORD_INVALID) continue;
        TRY(executor_keep(job->executor, &measurement->samples[side], true, err));
    }
    TRY(executor_keep(job->executor, &measurement->state, false, err));
    ++job->finished_count;
    measurement_clear(measurement);
    return 0;
}

// A case ends when the next one begins or the worker says bye; a state without all samples counts as it is.
static int leave_case(struct job *job, struct err *err) {
    int code = 0;
    if (job->mode == JOB_ROUND && job->is_in_case && job->measurement.state.kind != RECORD_INVALID) {
        code = keep_measurement(job, err);
    }
    if (job->mode != JOB_PART) measurement_clear(&job->measurement);
    job->is_in_case = false;
    return code;
}

static int take_case(struct job *job, const struct record *record, struct err *err) {
    const bool is_same = job->is_in_case && job->case_index == record->case_index;
    if (!is_same) {
        TRY(leave_case(job, err));
        job->case_mask = plan_mask(job, order_case(job->order, record->case_index)->side_mask);
        job->answered_mask = job->bad_mask = 0;
    }
    job->has_begun = job->is_in_case = true;
    job->case_index = record->case_index;
    job->case_side = record->side;
    job->is_timing = record->side == RECORD_SIDE_ALL;
    if (job->mode == JOB_PROBE) return 0;
    return journal_add_later(job->executor->journal, record, err);
}

static const char *case_name(const struct job *job, uint32_t case_index) {
    const struct work_case *item = order_case(job->order, case_index);
    if (!item) return "";
    return str_or(item->short_name, item->problem.name);
}

static int take_check(struct job *job, const struct record *record, struct err *err) {
    struct executor *executor = job->executor;
    const bool is_matrix = job->mode == JOB_CHECK;
    if (job->mode == JOB_PROBE && record->check.outcome == OUTCOME_OK) return 0;
    // In a round nothing is synced before a measurement; a failure is worth it, since there will be none.
    TRY(executor_keep(executor, record, !is_matrix && record->check.outcome == OUTCOME_OK, err));
    if (is_matrix || record->check.outcome != OUTCOME_OK) ++job->finished_count;
    if (job->is_in_case && job->case_index == record->case_index) {
        job->answered_mask |= 1u << record->side;
        if (record->check.outcome != OUTCOME_OK) job->bad_mask |= 1u << record->side;
        const bool is_over = job->case_side == record->side || job->answered_mask == job->case_mask;
        if (is_matrix && is_over) job->is_in_case = false;
        if (job->answered_mask == job->case_mask) job->is_timing = true;
    }
    if (!is_matrix) return 0;
    executor_show_progress(executor, case_name(job, record->case_index), "check");
    if (executor->on_check)
        executor->on_check(executor->arg, executor->result, record->case_index, record->side);
    return 0;
}

static int take_measured(struct job *job, const struct record *record, struct err *err) {
    if (job->mode == JOB_CHECK) return err_set(err, ERR_DATA, "samples in the check phase, which has none");
    if (!job->is_in_case || job->case_index != record->case_index) {
        return err_set(err, ERR_DATA, "samples of case %lu, which is not the one at work",
                       (unsigned long)record->case_index);
    }
    if (job->mode == JOB_PROBE) return 0;
    measurement_add(&job->measurement, record);
    if (job->mode != JOB_ROUND || !measurement_is_complete(&job->measurement, job_awaited_mask(job)))
        return 0;
    TRY(keep_measurement(job, err));
    job->is_in_case = false;
    char what[32];
    snprintf(what, sizeof what, "round %u", (unsigned)record->round + 1);
    executor_show_progress(job->executor, case_name(job, record->case_index), what);
    return 0;
}

static int on_record(void *arg, const struct record *received, struct err *err) {
    struct job *job = arg;
    struct record record = *received;
    switch (record.kind) {
    case RECORD_HELLO:
        TRY(executor_hold_machine(job->executor, &record.environment, err));
        job->hello_ns = record.time_ns;
        break;
    case RECORD_WARNING: break;
    case RECORD_BYE: TRY(leave_case(job, err)); break;
    case RECORD_CASE: TRY(admit(job, &record, err)); return take_case(job, &record, err);
    case RECORD_CHECK: TRY(admit(job, &record, err)); return take_check(job, &record, err);
    case RECORD_SAMPLES:
    case RECORD_CASE_STATE: TRY(admit(job, &record, err)); return take_measured(job, &record, err);
    default:
        return err_set(err, ERR_DATA, "a record of kind '%s', which was not asked for",
                       record_kind_name(record.kind));
    }
    return executor_keep(job->executor, &record, true, err);
}

int job_run(struct job *job, struct err *err) {
    const struct plan *plan = job->executor->plan;
    const struct worker_limits limits = {.case_s = plan->case_limit_s,
                                         .memory_gb = plan->memory_limit_gb,
                                         .run_deadline_ns = job->executor->deadline_ns};
    if (limits.run_deadline_ns && clock_ns() >= limits.run_deadline_ns) {
        job->end.is_run_over = true;
        return 0;
    }
    TRY(worker_run(job->order, &limits, on_record, job, &job->end, err));
    const struct executor *executor = job->executor;
    if (executor->on_output && job->end.tail && *job->end.tail)
        executor->on_output(executor->arg, job->end.tail);
    return 0;
}

void job_fini(struct job *job) {
    measurement_clear(&job->measurement);
    worker_end_fini(&job->end);
}

void order_of_one_side(const struct work_order *order, uint32_t side, uint32_t case_index,
                       struct arena *arena, struct work_order *ret) {
    struct work_order one = *order;
    one.side_count = 1;
    one.sides[0] = order->sides[side];
    one.cases = arena_array(arena, order->case_count, sizeof *one.cases);
    one.case_count = 0;
    for (size_t i = 0; i < order->case_count; ++i) {
        const struct work_case *item = &order->cases[i];
        if (!(item->side_mask >> side & 1) || (case_index != UINT32_MAX && item->index != case_index))
            continue;
        one.cases[one.case_count] = *item;
        one.cases[one.case_count++].side_mask = 1;
    }
    *ret = one;
}
