// SPDX-License-Identifier: Apache-2.0
//
// A job: one order given to one worker. Every record that the worker sends is checked against the order, then
// journaled and folded. The job ends in one of three states (enum job_fate); what a death means for its case
// is decided by the caller, with the functions of executor_death.c.
#ifndef CONTROL_EXEC_JOB_INTERNAL_H
#define CONTROL_EXEC_JOB_INTERNAL_H

#include "control/exec/executor_internal.h"
#include "control/exec/worker_client.h"

enum job_mode {
    JOB_INVALID = 0,
    JOB_CHECK, // phase check
    JOB_ROUND, // complete measurements are journaled
    JOB_PART,  // measurements stay in `measurement`, for the caller
    JOB_PROBE, // nothing is kept but a bad check: only how it ends counts
    JOB_MODE_COUNT
};

enum job_fate {
    JOB_FATE_INVALID = 0,
    JOB_FINISHED,        // with a goodbye, or with all that is to be said on record
    JOB_DIED_IN_CASE,    // the case in flight is without an outcome
    JOB_DIED_AFTER_CASE, // the case that had just been finished may be to blame
    JOB_FATE_COUNT
};

struct job {
    enum job_mode mode;
    struct executor *executor;
    const struct work_order *order;
    uint32_t side_map[WORK_SIDES_MAX]; // the order's side -> the plan's side
    // what came of it
    enum job_fate fate;
    size_t finished_count; // outcomes of cases, complete measurements
    bool has_begun;        // a case was begun
    bool is_in_case;
    uint32_t case_index, case_side; // the case in flight; plan's side or RECORD_SIDE_ALL
    uint32_t case_mask;             // sides of it (the plan's)
    uint32_t answered_mask;         // of these: sides with a check in this case
    uint32_t bad_mask;              // of these: sides that this worker found wrong
    bool is_timing;                 // all sides are checked: a death may be any side's
    uint64_t hello_ns;
    struct measurement measurement;
    struct worker_end end;
};

// job->mode, executor, order and side_map are the caller's to set. Runs it to the worker's end and sets fate.
// Negative: an error of the run, such as a worker that ends before its first case.
int job_run(struct job *job, struct err *err);
void job_fini(struct job *job);
// Every side stands for itself: side_map of an order with all sides of the plan.
void job_map_all(struct job *job);
// Sides of the case in flight that are right so far: those whose samples are to come.
uint32_t job_awaited_mask(const struct job *job);
// Records that the worker ended between two cases.
int job_keep_warning(struct job *job, struct err *err);
// An order for one side alone: that side becomes the order's side 0. case_index UINT32_MAX: all cases with
// the side.
void order_of_one_side(const struct work_order *order, uint32_t side, uint32_t case_index,
                       struct arena *arena, struct work_order *ret);

// ---- deaths (executor_death.c) ----
// Records that the side of the case ended with its worker: CRASHED or TIMEOUT.
int executor_keep_death(struct job *job, uint32_t side, const char *when, struct err *err);
// Runs the job's case with each side of mask (the plan's) alone: those that die are recorded and named in
// *ret_mask, and so are those whose check was bad.
int executor_probe_sides(struct job *job, uint32_t mask, const char *when, uint32_t *ret_mask,
                         struct err *err);
// The worker died after the results of its case: of the sides of mask, those that die again alone are to
// blame (a single one is anyway). *ret_mask: which; none is a warning.
int executor_keep_late_death(struct job *job, uint32_t mask, uint32_t *ret_mask, struct err *err);

// ---- sides in processes of their own (executor_pair.c) ----
// One case of a round, each side in fresh workers, in the order A B B A.
int executor_measure_apart(struct executor *executor, const struct work_order *order,
                           const struct work_case *item, struct err *err);

#endif
