// SPDX-License-Identifier: Apache-2.0
//
// Queries: one order outside a run. Records are passed on as they come. A worker that ends without a goodbye
// is an error that names the module it was loading; in a check alone, its end is the outcome.
#include "control/exec/executor.h"
#include <stdio.h>

#include "base/strbuf.h"
#include "control/exec/fork_server.h"
#include "control/exec/worker_client.h"

void executor_start_afresh(bool is_wanted) {
    fork_server_forbid(is_wanted);
}

void executor_set_worker(const char *const *argv) {
    worker_set_argv(argv);
}

// A signal from outside ends a worker at most this often, before it is a result.
enum { TRIES = 2 };

struct query {
    executor_record_fn on_record;
    void *arg;
    struct err err; // of the callback
    bool has_failed, has_answered;
};

static int on_query_record(void *arg, const struct record *record, struct err *err) {
    struct query *query = arg;
    query->has_answered |= record->kind != RECORD_HELLO;
    int code = query->on_record(query->arg, record, &query->err);
    if (code >= 0) return 0;
    query->has_failed = true;
    // Any code but ERR_DATA: worker_run() takes that as the worker's fault.
    return err_set(err, ERR_INTERNAL, "the record was rejected");
}

int executor_query(const struct work_order *order, double limit_s, executor_record_fn on_record, void *arg,
                   struct err *err) {
    struct query query = {.on_record = on_record, .arg = arg};
    const struct worker_limits limits = {.case_s = limit_s};
    struct worker_end end = {0};
    int code = 0;
    for (int i = 0; i < TRIES; ++i) {
        worker_end_fini(&end);
        code = worker_run(order, &limits, on_query_record, &query, &end, err);
        if (code < 0 || !end.was_killed || query.has_answered) break;
    }
    if (query.has_failed) {
        if (err) *err = query.err;
        return -(int)query.err.code;
    }
    if (code < 0) return code;
    if (!end.has_said_bye || end.garbage) code = worker_end_error(&end, order, err);
    worker_end_fini(&end);
    return code;
}

// ---- one check ----

struct check_alone {
    uint32_t case_index;        // of the order's last case: those before it only go ahead
    bool has_begun, was_killed; // was_killed: the process of the kernel, from outside
    struct check_result check;  // NONE: not reported
};

static int on_check_record(void *arg, const struct record *record, struct err *err) {
    (void)err;
    struct check_alone *alone = arg;
    if (record->case_index != alone->case_index) return 0;
    if (record->kind == RECORD_CASE) alone->has_begun = true;
    if (record->kind != RECORD_CHECK) return 0;
    alone->check = record->check;
    alone->was_killed = record->invalid_cause == INVALID_CAUSE_KILLED_FROM_OUTSIDE;
    return 0;
}

static void take_end(const struct work_order *order, const struct worker_end *end, struct check_result *ret) {
    struct strbuf text = {0};
    worker_end_format(end, &text);
    *ret = (struct check_result){.outcome = worker_end_outcome(end)};
    // A kernel cannot signal a worker from a process of its own.
    if (end->was_killed && order->sampling.isolation == ISOLATION_PROCESS) ret->outcome = OUTCOME_NOT_VALID;
    snprintf(ret->message, sizeof ret->message, "%s", strbuf_text(&text));
    strbuf_fini(&text);
}

int executor_check_alone(const struct work_order *order, double limit_s, struct check_result *ret,
                         struct err *err) {
    struct check_alone alone;
    const struct worker_limits limits = {.case_s = limit_s};
    struct worker_end end = {0};
    for (int i = 0; i < TRIES; ++i) {
        alone = (struct check_alone){.case_index = order->cases[order->case_count - 1].index,
                                     .check = {.outcome = OUTCOME_NONE}};
        worker_end_fini(&end);
        TRY(worker_run(order, &limits, on_check_record, &alone, &end, err));
        if (!alone.was_killed && !end.was_killed) break;
    }
    int code = 0;
    if (alone.check.outcome != OUTCOME_NONE)
        *ret = alone.check;
    else if (alone.has_begun)
        take_end(order, &end, ret);
    else
        code = worker_end_error(&end, order, err);
    worker_end_fini(&end);
    return code;
}
