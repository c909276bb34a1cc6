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
    // The end of what a worker printed, when it has ended; may be NULL.
    void (*on_output)(void *arg, const char *tail);
    void *arg;
    const bool *closed_cases;     // per case: already decided, not measured again; NULL: none. The caller's
    uint64_t repeat_pause_ns;     // before the k-th repetition of a round that was not valid: k^2 times this
    uint64_t deadline_ns;         // of the run (limits.gate_s), 0: none
    bool is_over_limit;           // a call ended with ERR_UNAVAILABLE because the deadline has passed
    bool are_references_kept;     // leave references/ when the run ends well
    struct executor_state *state; // private
};

// All functions return ERR_CANCELLED with a sentence that names --resume when the user interrupts: what was
// measured is in the journal. No process is left behind whatever happens. A worker that ends before its first
// case is an error (with its own sentence and code when it printed one); from then on its death belongs to
// the case and side it was in.

// create and resume set run_dir, plan, result, journal, state and is_over_limit and leave the other members
// alone. A new run: creates runs/<id>/, writes plan.json, opens the journal. A resumed one: reads plan.json,
// replays the journal (a torn last line is dropped), drops nothing that is complete. run_dir is locked
// against a second run. ERR_UNAVAILABLE for another program than the one that began the run, and later for a
// worker on another machine.
int executor_create(struct executor *executor, const char *run_dir, const struct plan *plan,
                    struct result *result, struct err *err);
int executor_resume(struct executor *executor, const char *run_dir, const struct plan *plan,
                    struct result *result, struct err *err);
void executor_close(struct executor *executor); // accepts a zeroed one

// The check matrix: every case of plan->checks on the sides of check_side_mask that has no outcome yet. When
// a worker dies, its case is CRASHED or TIMEOUT, and another worker does the rest.
int executor_run_checks(struct executor *executor, struct err *err);
// Rounds [from what is there, up_to): every case and side still in play; cases whose window was not valid are
// repeated up to plan->round_repeat_max times. After this result->cases hold the samples. A case is in play
// while every side of a gate is right; where there are peers, or no baseline, the sides that are right are
// measured without the others.
int executor_run_rounds(struct executor *executor, uint32_t up_to, struct err *err);
bool executor_has_failed_side(const struct result *result, uint32_t case_index, uint32_t side);

// Tests run another program in place of this one's worker. argv is NULL-terminated and must stay; NULL: the
// real one.
void executor_set_worker(const char *const *argv);

// One order outside a plan (describe, devices, ceilings): records are handed to the callback as they come.
typedef int (*executor_record_fn)(void *arg, const struct record *record, struct err *err);
int executor_query(const struct work_order *order, double limit_s, executor_record_fn on_record, void *arg,
                   struct err *err);

#endif
