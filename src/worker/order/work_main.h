// SPDX-License-Identifier: Apache-2.0
//
// A worker's whole life: the order on standard input, records on WORK_RECORD_FD. The same in `assay worker`
// and in a Python interpreter that loaded libassay_worker.so.
#ifndef WORKER_ORDER_WORK_MAIN_H
#define WORKER_ORDER_WORK_MAIN_H

#include "base/err.h"

// Prints its own error as "assay: error: ..." and returns the exit code.
int work_main(void);

#endif
