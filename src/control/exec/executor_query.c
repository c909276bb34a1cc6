// SPDX-License-Identifier: Apache-2.0
//
// Queries: one order outside a run. Records are passed on as they come. A worker that ends without a goodbye
// is an error that names the module it was loading.
#include "control/exec/executor.h"
#include "control/exec/worker_client.h"

void executor_set_worker(const char *const *argv) {
    worker_set_argv(argv);
}

struct query {
    executor_record_fn on_record;
    void *arg;
    struct err err; // of the callback
    bool has_failed;
};

static int on_query_record(void *arg, const struct record *record, struct err *err) {
    struct query *query = arg;
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
    int code = worker_run(order, &limits, on_query_record, &query, &end, err);
    if (query.has_failed) {
        if (err) *err = query.err;
        return -(int)query.err.code;
    }
    if (code < 0) return code;
    if (!end.has_said_bye || end.garbage) code = worker_end_error(&end, order, err);
    worker_end_fini(&end);
    return code;
}
