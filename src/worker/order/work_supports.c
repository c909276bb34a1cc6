// SPDX-License-Identifier: Apache-2.0
//
// The order that asks what a kernel supports, before anybody plans problems, inputs or references for it.
#include "worker/order/work_internal.h"

static int ask(struct work *work, const struct work_case *wanted, struct check_result *ret, struct err *err) {
    struct case_run *run = case_run_new(work, wanted, 0);
    struct kernel_home home;
    int code = work_find_home(work, 0, &home, err);
    if (code == 0)
        code = kernel_instance_prepare(&home, wanted, &run->abi.problem, &run->instances[0], ret, err);
    case_run_free(run, work);
    return code;
}

int work_supports(struct work *work, struct err *err) {
    const struct work_order *order = work->order;
    if (order->side_count != 1) return err_set(err, ERR_DATA, "an order that asks for support has one side");
    for (size_t c = 0; c < order->case_count;) {
        const struct work_case *wanted = &order->cases[c++];
        struct record record = work_record(work, RECORD_CHECK);
        record.case_index = wanted->index;
        TRY(work_write_case(work, wanted->index, 0, err));
        TRY(ask(work, wanted, &record.check, err));
        if (record.check.outcome == OUTCOME_UNSUPPORTED) continue;
        if (record.check.outcome == OUTCOME_NONE) record.check.outcome = OUTCOME_OK;
        TRY(work_write(work, &record, err));
        while (c < order->case_count && order->cases[c].index == wanted->index) ++c;
    }
    return 0;
}
