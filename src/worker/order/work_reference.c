// SPDX-License-Identifier: Apache-2.0
//
// References ahead of all kernels: each case's is computed and kept in the order's folder. A CHECK record
// without a side says what is wrong with one.
#include <stdio.h>

#include "worker/order/work_internal.h"

static int write_fault(struct work *work, uint32_t case_index, const char *sentence, struct err *err) {
    struct record record = work_record(work, RECORD_CHECK);
    record.case_index = case_index;
    record.check.outcome = OUTCOME_NOT_VALID;
    snprintf(record.check.message, sizeof record.check.message, "%.700s", sentence);
    return work_write(work, &record, err);
}

int work_reference(struct work *work, struct err *err) {
    for (size_t c = 0; c < work->order->case_count; ++c) {
        const struct work_case *wanted = &work->order->cases[c];
        struct case_run *run = case_run_new(work, wanted, 0);
        struct err why = {0};
        int code = work_write_case(work, wanted->index, 0, err);
        if (code == 0 && case_run_open(work, run, &why) < 0 && why.code == ERR_DATA)
            code = write_fault(work, wanted->index, why.text, err);
        case_run_free(run, work);
        TRY(code);
    }
    return 0;
}
