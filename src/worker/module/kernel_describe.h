// SPDX-License-Identifier: Apache-2.0
//
// What the module of a side declares: its kernels, their parameters, whether a configuration is possible.
// Loading a module runs its code, so a stranger's is described in a host.
#ifndef WORKER_MODULE_KERNEL_DESCRIBE_H
#define WORKER_MODULE_KERNEL_DESCRIBE_H

#include "record/record_query.h"
#include "record/work_order.h"
#include "worker/module/module.h"

typedef int (*kernel_describe_fn)(void *arg, const struct kernel_description *kernel, struct err *err);

// Calls back for every kernel of the side that the order asks about. *ret_module: the caller closes it; NULL
// where there is none. A negative code of the callback ends it.
int kernel_describe(const struct work_order *order, size_t side, kernel_describe_fn on_kernel, void *arg,
                    struct module **ret_module, struct err *err);

#endif
