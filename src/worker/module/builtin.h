// SPDX-License-Identifier: Apache-2.0
//
// Modules that are linked into this program: always the plain kernels that the 2 x rule measures against and
// the libraries of peers/*/; in a static program all shipped kernels in C. They are checked like loaded ones.
#ifndef WORKER_MODULE_BUILTIN_H
#define WORKER_MODULE_BUILTIN_H

#include "worker/module/module.h"

// Opened on first use, kept until the process ends. NULL past the end.
const struct module *builtin_at(size_t index);

// The linked-in kernel of that name; NULL with ERR_USAGE if there is none.
const struct assay_kernel *builtin_find(const char *name, struct err *err);

// Checks that the library that this linked-in kernel calls is there (the peer "cudnn"). ERR_UNAVAILABLE:
// something is missing; the message says what. 0 also for kernels that call none.
int builtin_find_library(const char *name, struct err *err);

#endif
