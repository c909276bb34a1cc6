// SPDX-License-Identifier: Apache-2.0
//
// An interpreter that has imported PyTorch and Triton, from which workers and the hosts of kernels in Python
// are forked (peers/assay_fork_server.py). One serves all orders of this process that have the interpreter, the
// kind of device, the processors and the packages; it ends with this process.
#ifndef CONTROL_EXEC_FORK_SERVER_H
#define CONTROL_EXEC_FORK_SERVER_H

#include "record/work_order.h"

// The descriptor that the order's worker is to be asked for by (proc_spec.fork_server_fd); 0: it and its hosts
// are started afresh, since nothing that they import is worth it, or something forbids it. *ret_refusal: a
// sentence where that is not usual, the first time that it happens; else NULL. interpreter: of the order's
// kernels. library: libassay_worker.so.
int fork_server_of(const struct work_order *order, const char *interpreter, const char *library,
                   const char **ret_refusal);
// From now on all are started afresh, or not.
void fork_server_forbid(bool is_wanted);

#endif
