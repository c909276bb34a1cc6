// SPDX-License-Identifier: Apache-2.0
//
// The worker: one order in, records out, then it ends. Fresh and expendable: it loads kernels, and whatever
// they do to it is seen by the parent as records that stop.
#ifndef WORKER_ORDER_WORK_H
#define WORKER_ORDER_WORK_H

struct python_callbacks; // worker/module/python_kernel.h

#define WORK_RECORD_FD 3

// Exit code of a worker that has put a memory fault of a kernel on record itself (worker/order/fault.h) and
// then ended.
#define WORK_FAULT_EXIT 1

// A worker's whole life: the order on standard input, records on WORK_RECORD_FD. Prints its own error as
// "assay: error: ..." and returns the exit code. Errors: a module, a kernel or a device that is not there, a
// broken pipe. What is wrong with a kernel is in the records and no error.
int work_main(void);

// The same in a Python interpreter, and the one symbol of libassay_worker.so that peers/assay_bridge.py
// calls: the order's kernels are Python functions. callbacks stay until the process ends.
__attribute__((visibility("default"))) int assay_python_worker_main(const struct python_callbacks *callbacks);

#endif
