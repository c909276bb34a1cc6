// SPDX-License-Identifier: Apache-2.0
//
// The state of a run, and what all parts of the executor share: keeping a record, showing progress, failing.
// Lowest layer of the folder together with the journal; jobs (job_internal.h) are above, checks and rounds on
// top.
#ifndef CONTROL_EXEC_EXECUTOR_INTERNAL_H
#define CONTROL_EXEC_EXECUTOR_INTERNAL_H

#include "base/hash.h"
#include "control/exec/executor.h"
#include "control/exec/journal.h"
#include "control/exec/measurement.h"
#include "record/work_order.h"

struct executor_state {
    int lock_fd;
    char *reference_dir;
    char *cache_dir;                   // of what compilers made of the sides
    bool has_caches;                   // it was filled, as far as it is
    bool has_cache[WORK_SIDES_MAX];    // of the side
    char program[HASH_HEX_BYTES];      // of the program that began the run; "": the journal does not say
    bool has_failed;                   // a call ended with an error: references stay for the resume
    bool has_references;               // they are computed, as far as they are at all
    bool is_round_done[ROUNDS_LIMIT];  // RECORD_ROUND is in the journal
    bool has_looked, has_said_invalid; // executor_notice.c, as the next
    bool is_busy, has_said_duration;
    uint64_t rounds_since_ns; // when the rounds of this call began
    size_t hopeless_count;    // measurements in a row, the first one at:
    uint64_t hopeless_since_ns;
};

// Journals the record and folds it into the result. is_later: without fsync.
int executor_keep(struct executor *executor, const struct record *record, bool is_later, struct err *err);
// Calls measurement_judge() and keeps all records of the measurement, with one fsync at the end.
int executor_keep_measurement(struct executor *executor, struct measurement *measurement,
                              const struct work_order *order, struct err *err);
// Before the first round: says, and warns in the result, when others have much of our processors.
void executor_notice_load(struct executor *executor);
// Says so when this is the first measurement of the run that does not count.
void executor_notice_invalid(struct executor *executor, const struct measurement *measurement);
// After the first measurement on a machine that was busy: says how long the rounds will take.
void executor_notice_duration(struct executor *executor, const struct measurement *measurement);
// Sets executor->is_hopeless, and says so, when others have left nearly no sample for long.
void executor_notice_hopeless(struct executor *executor, const struct measurement *measurement,
                              uint32_t sample_count);
// Rejects a worker on another device, or with another driver, instruction set or thread count, than the run's
// first one (ERR_UNAVAILABLE).
int executor_check_machine(const struct executor *executor, const struct environment *now, struct err *err);
// Updates the progress line when a case of the order begins.
void executor_show_progress(struct executor *executor, const struct work_order *order,
                            const struct work_case *item);
// Adds what a worker computes ahead of the order's checks, where that was not done in this call of assay: it
// ends with ERR_DATA and the sentence that says what is wrong with a declared operator's reference.
void executor_add_references(const struct executor *executor, struct arena *arena, struct work_order *order);
void executor_show_references(const struct executor *executor);
// Where interpreters are forked: has the compilers of each side in Python work once, on tensors without data,
// for all hosts to begin with what they made (executor_caches.c).
int executor_fill_caches(struct executor *executor, struct err *err);
// Names them to the order's sides, which map[] says of the plan.
void executor_name_caches(const struct executor *executor, const uint32_t map[WORK_SIDES_MAX],
                          struct arena *arena, struct work_order *order);
// The same in a worker of its own, where no check has done it.
int executor_run_references(struct executor *executor, struct err *err);
// The end of every public call: remembers a failure, and turns an interruption into the sentence that names
// --resume. Returns the code.
int executor_fail(struct executor *executor, int code, struct err *err);

#endif
