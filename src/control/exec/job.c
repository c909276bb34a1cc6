// SPDX-License-Identifier: Apache-2.0
//
// Running a job: every record is checked against the order before it is journaled and folded; one that was
// not ordered ends the worker.
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "base/strbuf.h"
#include "control/compile/variant.h"
#include "control/exec/job_internal.h"

#define REDRAW_NS        UINT64_C(1000000000)
#define REDRAW_TIMING_NS UINT64_C(5000000000)

void job_map_all(struct job *job) {
    for (uint32_t i = 0; i < WORK_SIDES_MAX; ++i) job->side_map[i] = i;
}

uint32_t job_awaited_mask(const struct job *job) {
    uint32_t mask = job->case_mask;
    for (uint32_t side = 0; side < WORK_SIDES_MAX; ++side) {
        if (executor_has_failed_side(job->executor->result, job->case_index, side)) mask &= ~(1u << side);
    }
    return mask;
}

static int keep_measurement(struct job *job, struct err *err) {
    TRY(executor_keep_measurement(job->executor, &job->measurement, job->order, err));
    ++job->finished_count;
    measurement_clear(&job->measurement);
    return 0;
}

// A case ends when the next one begins or the worker says bye. A measurement with a state is kept even if
// samples of a side are missing.
static int leave_case(struct job *job, struct err *err) {
    int code = 0;
    if (job->mode == JOB_ROUND && job->is_in_case && job->measurement.state.kind != RECORD_INVALID)
        code = keep_measurement(job, err);
    if (job->mode != JOB_PART) measurement_clear(&job->measurement);
    job->is_in_case = false;
    return code;
}

static int receive_case(struct job *job, const struct work_case *item, const struct record *record,
                        struct err *err) {
    if (!job->is_in_case || job->case_index != record->case_index) {
        TRY(leave_case(job, err));
        job->case_mask = job->answered_mask = job->bad_mask = 0;
        for (uint32_t i = 0; i < job->order->side_count; ++i) {
            if (item->side_mask >> i & 1) job->case_mask |= 1u << job->side_map[i];
        }
        if (job->mode != JOB_PROBE) executor_show_progress(job->executor, job->order, item);
    }
    job->has_begun = job->is_in_case = true;
    job->case_index = record->case_index;
    job->case_side = record->side;
    job->is_timing = record->side == RECORD_SIDE_ALL;
    if (job->mode == JOB_PROBE) return 0;
    return journal_add_later(job->executor->journal, record, err);
}

static int receive_check(struct job *job, const struct record *record, struct err *err) {
    struct executor *executor = job->executor;
    if (record->invalid_cause == INVALID_CAUSE_KILLED_FROM_OUTSIDE) { // tried again before it counts
        job->killed_side = record->side;
        snprintf(job->killed_text, sizeof job->killed_text, "%s", record->check.message);
        return 0;
    }
    const bool is_matrix = job->mode == JOB_CHECK, is_right = record->check.outcome == OUTCOME_OK;
    if (job->mode == JOB_PROBE && is_right) return 0;
    // In a round, nothing is synced before a measurement. A failed check is: no measurement follows it.
    TRY(executor_keep(executor, record, !is_matrix && is_right, err));
    if (is_matrix || !is_right) ++job->finished_count;
    if (job->is_in_case && job->case_index == record->case_index) {
        job->answered_mask |= 1u << record->side;
        if (!is_right) job->bad_mask |= 1u << record->side;
        const bool is_over = job->case_side == record->side || job->answered_mask == job->case_mask;
        if (is_matrix && is_over) job->is_in_case = false;
        if (job->answered_mask == job->case_mask) job->is_timing = true;
    }
    if (!is_matrix) return 0;
    if (executor->on_check)
        executor->on_check(executor->arg, executor->result, record->case_index, record->side);
    return 0;
}

// A record with samples, or with the state of the device while they were measured.
static int receive_measured(struct job *job, const struct record *record, struct err *err) {
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
    return 0;
}

// Validates a record about a case against the order, and replaces the order's side by the plan's.
static int receive_of_case(struct job *job, struct record *record, struct err *err) {
    const struct work_order *order = job->order;
    const enum phase phase = order->kind == WORK_CHECK ? PHASE_CHECK : PHASE_ROUND;
    const struct work_case *item = NULL;
    for (size_t i = 0; i < order->case_count && !item; ++i) {
        if (order->cases[i].index == record->case_index) item = &order->cases[i];
    }
    if (!item || record->phase != phase || record->round != order->round ||
        record->attempt != order->attempt) {
        return err_set(
            err, ERR_DATA, "a record of kind '%s' about case %lu of phase '%s', which was not asked for",
            record_kind_name(record->kind), (unsigned long)record->case_index, phase_name(record->phase));
    }
    if (record->kind != RECORD_CASE_STATE && record->side != RECORD_SIDE_ALL) {
        if (record->side >= order->side_count || !(item->side_mask >> record->side & 1)) {
            return err_set(err, ERR_DATA, "a record about side %lu of case %lu, which was not asked for",
                           (unsigned long)record->side, (unsigned long)record->case_index);
        }
        record->side = job->side_map[record->side];
    }
    if (record->kind == RECORD_CASE) return receive_case(job, item, record, err);
    if (record->kind == RECORD_CHECK) return receive_check(job, record, err);
    return receive_measured(job, record, err);
}

static int on_record(void *arg, const struct record *received, struct err *err) {
    struct job *job = arg;
    struct record record = *received;
    switch (record.kind) {
    case RECORD_HELLO:
        TRY(executor_check_machine(job->executor, &record.environment, err));
        job->hello_ns = record.time_ns;
        break;
    case RECORD_WARNING: break;
    case RECORD_BYE: TRY(leave_case(job, err)); break;
    case RECORD_CASE:
        if (record.case_index & WORK_CASE_REFERENCE) {
            executor_show_references(job->executor);
            return 0;
        }
        return receive_of_case(job, &record, err);
    case RECORD_CHECK:
    case RECORD_SAMPLES:
    case RECORD_CASE_STATE: return receive_of_case(job, &record, err);
    default:
        return err_set(err, ERR_DATA, "a record of kind '%s', which was not asked for",
                       record_kind_name(record.kind));
    }
    return executor_keep(job->executor, &record, true, err);
}

int job_keep_warning(struct job *job, struct err *err) {
    struct strbuf text = {0};
    struct record record = {.kind = RECORD_WARNING, .time_ns = clock_ns()};
    strbuf_add(&text, "a worker ended between two cases: it ");
    if (*job->killed_text)
        strbuf_addf(&text, "says that the process of a kernel was %s", job->killed_text);
    else if (job->end.garbage)
        strbuf_addf(&text, "wrote something that is no record (%.200s)", job->end.garbage);
    else
        proc_status_format(&job->end.status, &text);
    record.text = text.text;
    int code = executor_keep(job->executor, &record, false, err);
    strbuf_fini(&text);
    return code;
}

// Says that the worker left, if it could not say so itself, and forgets what it had not finished.
static int leave_unfinished(struct job *job, struct err *err) {
    const bool is_said = job->end.is_warning_last;
    measurement_clear(&job->measurement);
    job->is_in_case = job->has_begun = job->is_timing = false;
    worker_end_fini(&job->end);
    job->fate = JOB_LEFT;
    const struct record record = {.kind = RECORD_WARNING,
                                  .time_ns = clock_ns(),
                                  .text =
                                      "assay was stopped for a while, and its worker ended the kernels and "
                                      "left; what was not finished is done again"};
    return is_said ? 0 : executor_keep(job->executor, &record, true, err);
}

// A line on a terminal now and then disturbs no check; between samples it is rarer.
static void on_wait(void *arg) {
    const struct job *job = arg;
    progress_tick(job->executor->progress, job->is_timing ? REDRAW_TIMING_NS : REDRAW_NS);
}

// A worker imports what lies there now. A module's file it compares itself.
static int check_sources(const struct work_order *order, const struct job *job, struct err *err) {
    for (uint32_t i = 0; i < order->side_count; ++i) {
        const struct result_side *side = &job->executor->plan->sides[job->side_map[i]];
        char hex[SHA256_HEX_BYTES];
        if (!side->python || !side->python_path || !side->build.source_hash) continue;
        const int is_found = variant_python_hash(side->python, side->python_path, hex, err);
        TRY(is_found);
        if (is_found && strcmp(hex, side->build.source_hash) == 0) continue;
        return err_set(
            err, ERR_DATA,
            "the Python source of '%s' (side '%s', below '%s') is not the one that the plan names: "
            "it has changed since; start a new run",
            side->python, str_or(side->label, ""), side->python_path);
    }
    return 0;
}

static int run_worker(struct job *job, const struct worker_limits *limits, struct err *err) {
    for (bool is_second = false;; is_second = true) {
        TRY(check_sources(job->order, job, err));
        struct arena arena = {0};
        struct work_order order = *job->order;
        executor_name_caches(job->executor, job->side_map, &arena, &order);
        const int code = worker_run(&order, limits, on_record, job, &job->end, err);
        arena_fini(&arena);
        TRY(code);
        if (job->end.was_killed && !job->has_begun && !is_second) { // before a kernel was asked for anything
            worker_end_fini(&job->end);
            continue;
        }
        if (job->executor->on_output && job->end.printed && *job->end.printed)
            job->executor->on_output(job->executor->arg, job->end.printed);
        job->fate = JOB_FINISHED;
        if (!job->end.has_left || job->end.is_run_over) return 0;
        TRY(leave_unfinished(job, err));
        if (job->mode == JOB_CHECK || job->mode == JOB_ROUND) return 0;
    }
}

static bool is_killed_exit(const struct worker_end *end) {
    return end->status.end == PROC_EXITED && end->status.exit_code == WORK_KILLED_EXIT && !end->garbage;
}

int job_run(struct job *job, struct err *err) {
    job->killed_side = RECORD_SIDE_ALL;
    struct executor *executor = job->executor;
    const struct plan *plan = executor->plan;
    const struct worker_end *end = &job->end;
    const struct worker_limits limits = {.case_s = plan->sampling.limits.case_s,
                                         .memory_bytes = run_limits_memory_bytes(&plan->sampling.limits),
                                         .run_deadline_ns = executor->deadline_ns,
                                         .on_wait = executor->progress ? on_wait : NULL};
    const bool is_too_late = limits.run_deadline_ns && clock_ns() >= limits.run_deadline_ns;
    if (!is_too_late) {
        TRY(run_worker(job, &limits, err));
        if (job->fate == JOB_LEFT) return 0;
    }
    if (is_too_late || end->is_run_over) {
        executor->is_over_limit = true;
        return err_set(err, ERR_UNAVAILABLE,
                       "the time limit of the run (%g s) has passed; what was finished is kept: go on with "
                       "'assay %s --resume %s', or raise limits.gate_s",
                       plan->sampling.limits.gate_s, plan->command ? plan->command : "run",
                       executor->run_dir);
    }
    job->fate = JOB_FINISHED;
    if (end->has_said_bye && !end->garbage) return 0;
    if (!job->has_begun) return worker_end_error(end, job->order, err);
    if (job->bad_mask) return 0; // a fault in a guard page: the worker named the side before it ended
    if (end->was_killed || is_killed_exit(end) || *job->killed_text)
        job->fate = JOB_KILLED;
    else if (job->is_in_case)
        job->fate = JOB_DIED_IN_CASE;
    else if (end->garbage || job->finished_count == 0 || worker_end_has_sentence(end))
        return job_keep_warning(job, err); // it gave up between two cases
    else
        job->fate = JOB_DIED_AFTER_CASE;
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
