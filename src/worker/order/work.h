// SPDX-License-Identifier: Apache-2.0
//
// The worker: reads one order, writes records, and ends. It loads kernels, so it is a fresh, expendable
// process: if a kernel breaks it, control sees only that the records stop.
#ifndef WORKER_ORDER_WORK_H
#define WORKER_ORDER_WORK_H

struct python_callbacks; // worker/module/python_kernel.h

#define WORK_RECORD_FD 3

// Exit code of a worker that has recorded a kernel's memory fault (worker/order/fault.h) or a lost device
// and then ended.
#define WORK_FAULT_EXIT 1

// A worker's whole life: the order on standard input, records on WORK_RECORD_FD. Prints its own error as
// "assay: error: ..." and returns the exit code. Errors: a missing module, kernel or device, a broken
// pipe. A wrong kernel is no error: the records say what is wrong.
int work_main(void);

// The same in a Python interpreter, and the one symbol of libassay_worker.so that peers/assay_bridge.py
// calls: the order's kernels are Python functions. callbacks stay until the process ends.
__attribute__((visibility("default"))) int assay_python_worker_main(const struct python_callbacks *callbacks);

#endif
