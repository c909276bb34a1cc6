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

// Finds the library that this linked-in kernel calls (the peer "cudnn"), and its version; ret_version "": it
// calls none, or none that says. ERR_UNAVAILABLE: something is missing; the message says what.
int builtin_find_library(const char *name, char ret_version[MODULE_VERSION_BYTES], struct err *err);

#endif
