// SPDX-License-Identifier: Apache-2.0
//
// Memory faults: a kernel that reads or writes beyond a tensor hits a guard; then the worker records which
// tensor and how far, and ends. Any other fault has its default action, and control records CRASHED.
#ifndef WORKER_ORDER_FAULT_H
#define WORKER_ORDER_FAULT_H

#include "record/record.h"
#include "worker/backend/backend.h"

// From now on a fault in a guard writes `record` (a check record of the case and side at work) to fd, with
// outcome FAIL, finding out_of_bounds and the place as its message, and ends the process with
// WORK_FAULT_EXIT. Slots hold the records of several sides that are timed alternately: arming a slot
// selects it; fault_select selects another one and costs one store.
#define FAULT_SLOTS 8
void fault_arm(size_t slot, const struct backend *backend, int fd, const struct record *record);
void fault_select(size_t slot);
void fault_disarm(void);

#endif
