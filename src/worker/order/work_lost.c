// SPDX-License-Identifier: Apache-2.0
//
// A kernel that breaks the device's context takes all later work of this process with it, whoever's that is.
// So the case at work is put on record as the last one, and the worker ends as after a fault in a guard
// (fault.h): the rest is for a fresh one.
#include "worker/order/work_lost.h"

#include <unistd.h>

#include "worker/order/work.h"
#include "worker/order/work_state.h"

void work_end_if_lost(struct work *work, struct record *record) {
    const enum device_loss loss = work->device->loss;
    if (loss == DEVICE_LOSS_NONE) return;
    if (record && loss == DEVICE_LOSS_ADDRESS) {
        record->check.outcome = OUTCOME_FAIL;
        record->check.finding = FINDING_OUT_OF_BOUNDS;
    }
    if (record) (void)work_write(work, record, NULL); // the parent that does not read it sees the end
    _exit(WORK_FAULT_EXIT); // nothing of the kernel runs any more, its destructors neither
}
