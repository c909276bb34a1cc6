// SPDX-License-Identifier: Apache-2.0
//
// References ahead of all kernels: each is computed and kept in the order's folder. One that is at fault ends
// the worker with the sentence that says so.
#include "worker/check/declared_process.h"
#include "worker/order/work_internal.h"

// What is not the reference's fault (no memory for such a problem) the case itself says later.
static int open_reference(struct work *work, const struct work_case *wanted, struct err *err) {
    struct case_run *run = case_run_new(work, wanted, 0);
    const int code = case_run_open(work, run, err);
    case_run_free(run, work);
    return code < 0 && err->code == ERR_DATA ? code : 0;
}

int work_reference(struct work *work, struct err *err) {
    for (size_t c = 0; c < work->order->case_count; ++c) {
        const struct work_case *wanted = &work->order->cases[c];
        if (!(wanted->index & WORK_CASE_REFERENCE)) continue;
        TRY(work_write_case(work, wanted->index, RECORD_SIDE_ALL, err));
        TRY(open_reference(work, wanted, err));
    }
    return declared_process_end_built(0, err); // how a reference ends counts, too
}
