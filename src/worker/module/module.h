// SPDX-License-Identifier: Apache-2.0
//
// A module: a shared library that describes kernels by the ABI of assay/kernel.h. Loading one runs its code,
// so only the worker does. Descriptors are checked and copied into structs of this host's size: members that
// an older module does not know are null. check/ finds out whether a kernel is right, measure/ how fast it
// is.
#ifndef WORKER_MODULE_MODULE_H
#define WORKER_MODULE_MODULE_H

#include <assay/kernel.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define MODULE_DECLARES_SINCE   3 // version: supports is optional; without prepare the state is the problem
#define MODULE_KERNELS_MAX      256
#define MODULE_PARAMS_MAX       16 // as many as a record holds (record.h)
#define MODULE_PARAM_VALUES_MAX 32
#define MODULE_TEXT_BYTES_MAX   256 // names; help and summary are cut
#define MODULE_MESSAGE_BYTES    512 // room for a callback's sentence
#define MODULE_VERSION_BYTES    32  // of the library behind a peer: "9.19.0"

struct module;

// Loads a library. ERR_NO_INPUT: no such file; ERR_DATA: not loadable (with the loader's reason), the symbol
// `assay_module` missing, an ABI version that this host does not know, or a description that cannot be true.
// The library stays loaded until the process ends: kernels may have left threads behind.
int module_open(const char *path, struct module **ret, struct err *err);

// Checks and copies a description that is already in memory (linked-in modules, tests). where: for messages.
int module_adopt(const struct assay_module *described, const char *where, struct module **ret,
                 struct err *err);

void module_close(struct module *module); // frees the host's copies; accepts NULL

const char *module_where(const struct module *module); // path, or "(linked in)"
size_t module_kernel_count(const struct module *module);
const struct assay_kernel *module_kernel_at(const struct module *module, size_t index); // of this host's size

// name NULL: the module's only kernel. Returns NULL with ERR_USAGE if there is none of that name (the message
// names the nearest), or if no name is given and there are several.
const struct assay_kernel *module_find(const struct module *module, const char *name, struct err *err);

#endif
