// SPDX-License-Identifier: Apache-2.0
//
// A job: one order given to one worker. Every record that the worker sends is checked against the order, then
// journaled and folded. The job ends with one of the fates of enum job_fate; the caller decides what a death
// means for its case, with the functions of executor_death.c.
#ifndef CONTROL_EXEC_JOB_INTERNAL_H
#define CONTROL_EXEC_JOB_INTERNAL_H

#include "control/exec/executor_internal.h"
#include "control/exec/worker_client.h"

enum job_mode {
    JOB_INVALID = 0,
    JOB_CHECK, // phase check
    JOB_ROUND, // complete measurements are journaled
    JOB_PART,  // measurements stay in `measurement`, for the caller
    JOB_PROBE, // only failed checks are kept; what matters is how the worker ends
    JOB_MODE_COUNT
};

enum job_fate {
    JOB_FATE_INVALID = 0,
    JOB_FINISHED,        // the worker said bye, or its records say all
    JOB_DIED_IN_CASE,    // the case in flight has no outcome
    JOB_DIED_AFTER_CASE, // the case that had just been finished may be to blame
    JOB_KILLED,          // a signal from outside ended the worker, or the process of killed_side
    JOB_LEFT, // the worker left because we were stopped: what it has not finished is to be done again
    JOB_FATE_COUNT
};

struct job {
    enum job_mode mode;
    struct executor *executor;
    const struct work_order *order;
    uint32_t side_map[WORK_SIDES_MAX]; // the order's side -> the plan's side
    // The rest is set by job_run().
    enum job_fate fate;
    size_t finished_count; // outcomes of cases, complete measurements
    bool has_begun;        // a case was begun
    bool is_in_case;
    uint32_t case_index, case_side; // the case in flight; the plan's side, or RECORD_SIDE_ALL
    uint32_t case_mask;             // sides that take part in it (the plan's)
    uint32_t answered_mask;         // those of them whose check has been reported
    uint32_t bad_mask;              // those of them that this worker found wrong
    bool is_timing;                 // all sides were checked: a death may be any side's
    uint32_t killed_side;           // the plan's; RECORD_SIDE_ALL: the worker itself
    char killed_text[768]; // the sentence about killed_side; "": the worker itself, and `end` says how
    uint64_t hello_ns;
    struct measurement measurement;
    struct worker_end end;
};

// Runs the job until its worker ends, and sets fate; JOB_LEFT only in JOB_CHECK and JOB_ROUND, other jobs are
// begun again then. The caller sets mode, executor, order and side_map.
// Negative: an error of the run, such as a worker that ends before its first case.
int job_run(struct job *job, struct err *err);
void job_fini(struct job *job);
// Sets side_map for an order with all sides of the plan: each side is its own.
void job_map_all(struct job *job);
// Mask of the sides of the case in flight that have not been found wrong: those whose samples are expected.
uint32_t job_awaited_mask(const struct job *job);
// Journals a warning that the worker ended between two cases.
int job_keep_warning(struct job *job, struct err *err);
// Makes an order for one side alone, which becomes side 0 of *ret. case_index UINT32_MAX: all cases with that
// side. Arrays live in the arena.
void order_of_one_side(const struct work_order *order, uint32_t side, uint32_t case_index,
                       struct arena *arena, struct work_order *ret);

// ---- deaths (executor_death.c) ----
// Journals that the worker died on this side of the case in flight: CRASHED or TIMEOUT, or NOT_VALID after
// more time than a case gets in all. when: begins the message.
int executor_keep_death(struct job *job, uint32_t side, const char *when, struct err *err);
// The case took more time than one gets in all while its sides were timed: NOT_VALID for each side of mask.
int executor_keep_overtime(struct job *job, uint32_t mask, struct err *err);
// Runs the job's case with each side of mask (the plan's) alone. Sides that die or whose check fails are
// recorded, and set in *ret_mask.
int executor_probe_sides(struct job *job, uint32_t mask, const char *when, uint32_t *ret_mask,
                         struct err *err);
// The worker died after the results of its case. Of the sides of mask, those that die again alone are at
// fault; a single side is at fault without a rerun. *ret_mask: these sides; if there is none, a warning is
// recorded.
int executor_keep_late_death(struct job *job, uint32_t mask, uint32_t *ret_mask, struct err *err);
// The measurement of the case in flight is lost, and no side is to blame: text says why, and the job's end
// follows it.
int executor_keep_lost(struct job *job, enum invalid_cause cause, const char *text, struct err *err);
// After JOB_KILLED: runs the sides whose process it may have been once more, each alone in a fresh worker.
// It is a kernel's doing only if the same happens to it there; *ret_mask: these sides. A worker whose
// kernels run in processes of their own is nobody's.
int executor_confirm_kill(struct job *job, uint32_t *ret_mask, struct err *err);
// The same in a round. If it is nobody's doing, the measurement is not valid.
int executor_judge_kill(struct job *job, struct err *err);

// ---- sides in processes of their own (executor_pair.c) ----
// One case of a round, each side in fresh workers, in the order A B B A.
int executor_measure_apart(struct executor *executor, const struct work_order *order,
                           const struct work_case *item, struct err *err);

#endif
