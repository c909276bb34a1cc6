// SPDX-License-Identifier: Apache-2.0
//
// The local executor: runs work orders in fresh workers, turns their output and their deaths into records,
// journals every record before it counts, and folds it into the result. It never loads a kernel. A run
// directory holds plan.json, journal.jsonl, references/ and result.json, which can be made from them at any
// time. A resumed run replays the journal.
#ifndef CONTROL_EXEC_EXECUTOR_H
#define CONTROL_EXEC_EXECUTOR_H

#include <stdbool.h>

#include "base/err.h"
#include "base/progress.h"
#include "control/plan/plan.h"
#include "record/result.h"

struct journal; // control/exec/journal.h

struct executor {
    const char *run_dir;
    const struct plan *plan;
    struct result *result; // folded so far; the caller's
    struct journal *journal;
    struct progress *progress; // may be NULL
    // Called after each case of the check phase and each complete round, for printing; may be NULL. Never
    // between samples.
    void (*on_check)(void *arg, const struct result *result, uint32_t case_index, uint32_t side);
    void (*on_round)(void *arg, const struct result *result, uint32_t round);
    // Called when a worker has ended, with the end of its output; may be NULL.
    void (*on_output)(void *arg, const char *tail);
    // Called with a line for the person who waits: why it may take longer than expected; may be NULL.
    void (*on_notice)(void *arg, const char *text);
    void *arg;
    const bool *closed_cases;  // per case: already decided, not measured again; NULL: none. The caller's
    uint32_t closed_side_mask; // sides that are not measured any more, besides those that are wrong
    uint64_t repeat_pause_ns;  // before the k-th repetition of a round that was not valid: k^2 times this
    uint64_t deadline_ns;      // of the run (limits.gate_s), 0: none
    bool is_over_limit;        // a call ended with ERR_UNAVAILABLE because the deadline has passed
    bool is_hopeless; // others leave too few samples: nothing more is measured in this call or a later one
    bool are_references_kept;     // leave references/ when the run ends well
    struct executor_state *state; // private
};

// All functions return ERR_CANCELLED with a sentence that names --resume when the user interrupts: what was
// measured is in the journal. No process is left behind whatever happens. A worker that ends before its first
// case is an error (with its own sentence and code if it printed one); after that, its death is the outcome
// of the case and side it was in.

// Makes the folder of a run; the error names --output-dir.
int executor_make_dir(const char *run_dir, struct err *err);

// create and resume set run_dir, plan, result, journal, state and is_over_limit; the caller sets the other
// members. create makes run_dir, writes plan.json and opens the journal. resume needs plan.json in run_dir
// (the caller has read it into plan) and replays the journal: a torn last line is dropped, complete lines are
// kept. Both lock run_dir against a second run. resume: ERR_UNAVAILABLE for another program than the one that
// began the run; later, the same for a worker on another machine.
int executor_create(struct executor *executor, const char *run_dir, const struct plan *plan,
                    struct result *result, struct err *err);
int executor_resume(struct executor *executor, const char *run_dir, const struct plan *plan,
                    struct result *result, struct err *err);
void executor_close(struct executor *executor); // accepts a zeroed one
// Before anything is run: references are looked for in that folder, and left there.
void executor_keep_references(struct executor *executor, const char *dir);

// Runs the check matrix: every case of plan->checks on those sides of check_side_mask that have no outcome
// yet. When a worker dies, its case is CRASHED or TIMEOUT, and another worker does the rest.
int executor_run_checks(struct executor *executor, struct err *err);
// Measures what is missing of all rounds below up_to: every case and side still in play. A case whose
// measurement was not valid is repeated up to plan->round_repeat_max times. Afterwards result->cases hold the
// samples. In a gate, a case is in play only while all its sides are right; with peers, or without a
// baseline, a side that is wrong is left out and the others are measured.
int executor_run_rounds(struct executor *executor, uint32_t up_to, struct err *err);
bool executor_has_failed_side(const struct result *result, uint32_t case_index, uint32_t side);

// For tests: the program to start as a worker. argv is NULL-terminated and must outlive the workers; NULL:
// this program.
// Interpreters of this process's workers and hosts are never forked (--fresh-interpreter).
void executor_start_afresh(bool is_wanted);
void executor_set_worker(const char *const *argv);

// Runs one order outside a plan (describe, devices, ceilings) and calls on_record for each record. limit_s:
// longest time between two records that show progress.
typedef int (*executor_record_fn)(void *arg, const struct record *record, struct err *err);
int executor_query(const struct work_order *order, double limit_s, executor_record_fn on_record, void *arg,
                   struct err *err);

// Checks the one side of the last case of an order outside a run, after the cases before it. A worker that
// dies in the case is its outcome, as in a run: CRASHED, TIMEOUT or NOT_VALID, with the sentence. Negative:
// interrupted, or the worker did not come to the case.
int executor_check_alone(const struct work_order *order, double limit_s, struct check_result *ret,
                         struct err *err);

#endif
