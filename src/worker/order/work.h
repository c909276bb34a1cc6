// SPDX-License-Identifier: Apache-2.0
//
// The worker: one order in, records out, then it ends. Fresh and expendable: it loads kernels, and whatever
// they do to it is seen by the parent as records that stop.
#ifndef WORKER_ORDER_WORK_H
#define WORKER_ORDER_WORK_H

#include "base/err.h"
#include "record/work_order.h"

#define WORK_RECORD_FD 3

// Exit code of a worker that has put a memory fault of a kernel on record itself (worker/order/fault.h) and
// then ended.
#define WORK_FAULT_EXIT 1

// Runs the order; records go to fd, a write each. Errors: a module, a kernel or a device that is not there, a
// broken pipe. What is wrong with a kernel is in the records and no error.
int work_run(const struct work_order *order, int fd, struct err *err);

#endif
