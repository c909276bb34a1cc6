// SPDX-License-Identifier: Apache-2.0
//
// Kernels written in Python. Only a Python worker has them: an interpreter that loaded libassay_worker.so and gave it the
// callbacks below (peers/assay_bridge.py). Such a kernel becomes a struct assay_kernel like any other.
#ifndef MODULE_PYTHON_KERNEL_H
#define MODULE_PYTHON_KERNEL_H

#include "backend/backend.h"

struct record;

// The kernel of that callable on that backend ("cuda", "cpu"); made once a side. NULL with ERR_UNAVAILABLE: this is no Python
// worker; ERR_USAGE: no such module or function, with Python's words. side: below WORK_SIDES_MAX.
const struct assay_kernel *python_kernel_make(const char *callable, const char *path, const char *op,
                                              const char *backend, uint32_t side, struct err *err);
// What a batch of that kernel needs around its timing; NULL: nothing, or no Python kernel.
const struct batch_hooks *python_kernel_hooks(const struct assay_kernel *kernel);

#endif
