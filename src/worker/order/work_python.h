// SPDX-License-Identifier: Apache-2.0
//
// The way in for a Python interpreter.
#ifndef WORKER_ORDER_WORK_PYTHON_H
#define WORKER_ORDER_WORK_PYTHON_H

#include "worker/module/python_kernel.h"

// Runs one work order with Python kernels; returns the exit code. callbacks stay until the process ends.
__attribute__((visibility("default"))) int assay_python_worker_main(const struct python_callbacks *callbacks);

#endif
