// SPDX-License-Identifier: Apache-2.0
//
// A job: one order given to one worker, with everything that came of it journaled and folded. Shared by the
// parts of the executor; nobody else includes it.
#ifndef CONTROL_EXEC_JOB_H
#define CONTROL_EXEC_JOB_H

#include "base/hash.h"
#include "control/exec/executor.h"
#include "control/exec/journal.h"
#include "control/exec/worker_client.h"

#define EXECUTOR_ROUNDS_MAX 4096

struct executor_state {
    int lock_fd;
    char *reference_dir;
    char program[HASH_HEX_BYTES]; // of the program that began the run; "": the journal does not say
    bool has_failed;              // a call ended with an error: references stay for the resume
    bool is_round_done[EXECUTOR_ROUNDS_MAX]; // RECORD_ROUND is in the journal
};

// What a worker has said of one case in one round, kept until it is complete: then it goes to the journal at
// once.
struct measurement {
    struct arena arena;
    struct record samples[WORK_SIDES_MAX]; // kind INVALID: none; indexed by the plan's side
    struct record state;                   // kind INVALID: none
};
void measurement_clear(struct measurement *measurement);
void measurement_add(struct measurement *measurement,
                     const struct record *record); // SAMPLES or CASE_STATE; copies
bool measurement_is_complete(const struct measurement *measurement, uint32_t side_mask);
// A valid one of which too few samples of a side count becomes one that is not valid: fewer than half of
// those that were asked for, or, where the case's time was over before, of those that were taken.
void measurement_judge(struct measurement *measurement, uint32_t sample_count);
// Appends another one of the same case, made later by another worker: samples side by side, times shifted by
// shift_ns.
void measurement_append(struct measurement *measurement, const struct measurement *later, uint64_t shift_ns);

enum job_mode {
    JOB_INVALID = 0,
    JOB_CHECK, // phase check
    JOB_ROUND, // complete measurements are journaled
    JOB_PART,  // measurements stay in `measurement`, for the caller
    JOB_PROBE, // nothing is kept but a bad check: only how it ends counts
    JOB_MODE_COUNT
};

struct job {
    enum job_mode mode;
    struct executor *executor;
    const struct work_order *order;
    uint32_t side_map[WORK_SIDES_MAX]; // the order's side -> the plan's side
    // what came of it
    size_t finished_count; // cases' outcomes, complete measurements
    bool has_begun;        // a case was begun
    bool is_in_case;
    uint32_t case_index, case_side; // the case in flight; plan's side or RECORD_SIDE_ALL
    uint32_t case_mask;             // sides of it (the plan's)
    uint32_t answered_mask;         // of these: sides with a check in this case
    uint32_t bad_mask;              // of these: sides that this worker found wrong
    bool is_timing;                 // all are checked: whose launch it dies in is not known
    uint64_t hello_ns;
    struct measurement measurement;
    struct worker_end end;
};

// job->mode, executor, order and side_map are the caller's to set. Runs it to the worker's end, whatever that
// is.
int job_run(struct job *job, struct err *err);
void job_fini(struct job *job);
// Every side stands for itself: side_map of an order with all sides of the plan.
void job_map_all(struct job *job);
// An order for one side alone: that side becomes the order's side 0. case_index UINT32_MAX: all cases with
// the side.
void order_of_one_side(const struct work_order *order, uint32_t side, uint32_t case_index,
                       struct arena *arena, struct work_order *ret);

// Notes in a new journal which program carries the run out; refuses to go on with another one's
// (ERR_UNAVAILABLE).
int executor_hold_program(struct executor *executor, struct err *err);
// Refuses a worker on another device, or with another driver, instruction set or thread count, than the run's
// first one.
int executor_hold_machine(const struct executor *executor, const struct environment *now, struct err *err);
// Journals and folds. later: without fsync.
int executor_keep(struct executor *executor, const struct record *record, bool is_later, struct err *err);
// The case's side ended with its worker: CRASHED or TIMEOUT.
int executor_keep_death(struct job *job, uint32_t side, const char *when, struct err *err);
// After a worker that ended without a goodbye: an error when it had not begun, a warning when it gave up by
// itself between two cases. A positive answer says whose fate is the caller's to record.
enum { EXECUTOR_DIED_IN = 1, EXECUTOR_DIED_AFTER = 2 }; // the case in flight; the one just finished
int executor_judge_end(struct job *job, struct err *err);
// Runs the job's case with each side of mask (the plan's) alone: those that die are recorded and named in
// *ret_mask, and so are those whose check was bad.
int executor_probe_sides(struct job *job, uint32_t mask, const char *when, uint32_t *ret_mask,
                         struct err *err);
// The worker died after the results of its case: of the sides of mask those are to blame that die again alone
// (a single one is anyway). *ret_mask: which; none is a warning.
int executor_keep_late_death(struct job *job, uint32_t mask, uint32_t *ret_mask, struct err *err);
void executor_show_progress(struct executor *executor, const char *name, const char *what);
int executor_fail(struct executor *executor, int code,
                  struct err *err); // sentences with --resume; returns code
// Sides of the case in flight that are right so far: those whose samples are to come.
uint32_t job_awaited_mask(const struct job *job);
// One case of a round, each side in processes of its own, in the order A B B A (executor_pair.c).
int executor_measure_apart(struct executor *executor, const struct work_order *order,
                           const struct work_case *item, struct err *err);

#endif
