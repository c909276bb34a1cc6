// SPDX-License-Identifier: Apache-2.0
//
// One worker with one order: starts it, passes on its records, keeps its deadlines, reaps it. The executor
// decides what its records and its end mean.
#ifndef CONTROL_EXEC_WORKER_CLIENT_H
#define CONTROL_EXEC_WORKER_CLIENT_H

#include <stdbool.h>

#include "base/err.h"
#include "base/process/proc.h"
#include "record/record.h"
#include "record/work_order.h"

struct worker_limits {
    double case_s; // between two records that show progress, and 20 times that in all; not positive: none
    // Resident memory beyond what the worker says that it takes itself, which may be as much again; 0: none.
    uint64_t memory_bytes;
    uint64_t run_deadline_ns;   // of everything; 0: none
    void (*on_wait)(void *arg); // called several times a second, with the arg of records; NULL: nobody waits
};

// How a worker ended. Free with worker_end_fini.
struct worker_end {
    bool has_said_hello, has_said_bye;
    bool is_run_over;     // killed because of run_deadline_ns
    bool has_left;        // by itself, because we were stopped, which we were
    bool is_warning_last; // its last record was a warning
    bool is_overtime;     // killed after 20 times case_s, though it showed progress: no call lasted too long
    struct proc_status status;
    bool was_killed;       // by a signal that we did not send (outside_kill.h)
    uint64_t oom_before;   // outside_kill_count_oom when it was started
    double case_limit_s;   // the limit in force: case_s, or 20 times it for a case that showed progress
    bool is_after_results; // set by the caller: no case was in flight
    char *garbage;         // why a line was no record (the worker was then killed); NULL: there was none
    char *tail;            // the end of what it printed itself
    char *printed;         // and the kernels' processes, in order of arrival
    // The end of what the side of the case in flight has printed since it began; "" where another side may
    // have printed it.
    char *case_tail;
};

typedef int (*worker_record_fn)(void *arg, const struct record *record, struct err *err);

// Runs one worker to its end. A negative code of on_record kills the worker and is returned, except ERR_DATA,
// which means a bad record: the worker is killed and its end has `garbage`, as after a line that does not
// parse, a second hello, or output without end. ERR_CANCELLED when the user interrupted. Otherwise 0, however
// the worker ended; free *ret_end then.
int worker_run(const struct work_order *order, const struct worker_limits *limits, worker_record_fn on_record,
               void *arg, struct worker_end *ret_end, struct err *err);
void worker_end_fini(struct worker_end *end);

// "killed by signal 11 (Segmentation fault) before the case was finished; it printed: ...".
void worker_end_format(const struct worker_end *end, struct strbuf *out);
// What the end says of the case that it came in: CRASHED, TIMEOUT, or NOT_VALID where the case as a whole
// took too long.
enum outcome worker_end_outcome(const struct worker_end *end);
// Whether it gave up with an error message: an error of ours, not the death of a kernel.
bool worker_end_has_sentence(const struct worker_end *end);
// The error of a worker that ended before its first case: its own sentence and code if it printed one.
int worker_end_error(const struct worker_end *end, const struct work_order *order, struct err *err);

// Whether the order's worker and hosts are forked from an interpreter that runs already, or now.
bool worker_is_forked(const struct work_order *order);
void worker_set_argv(const char *const *argv); // see executor_set_worker

#endif
