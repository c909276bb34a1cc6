// SPDX-License-Identifier: Apache-2.0
//
// A kernel as the worker has it: what the ABI describes and, of one that is made at run time, its maker. The
// ABI's supports and prepare do not know for which kernel they are called; a maker's do.
#ifndef WORKER_MODULE_KERNEL_H
#define WORKER_MODULE_KERNEL_H

#include <assay/kernel.h>

#include "record/work_order.h"
#include "worker/backend/backend.h"
#include "worker/module/module.h"

// Where a side's kernel comes from.
struct kernel_source {
    const struct work_side *side;
    uint32_t number;               // of the side in its order
    const struct operator_def *op; // of a Python or simulated kernel, which names none itself
};

// In place of the kernel's own supports and prepare, which are NULL. self: of struct kernel.
struct kernel_maker {
    // May be NULL.
    int (*supports)(void *self, const struct assay_problem *problem, struct assay_message *message);
    int (*prepare)(void *self, const struct assay_problem *problem, const struct assay_env *env, void **state,
                   size_t *workspace_bytes, struct assay_message *message);
    void (*free)(void *self);
    const struct batch_hooks *hooks; // that a batch of such a kernel needs; NULL: none
};

struct kernel {
    const struct assay_kernel *abi;   // its description and its launch; NULL: nothing is loaded
    const struct kernel_maker *maker; // NULL: it is a module's
    void *self;                       // the maker's
    struct module *module;            // NULL: it is in none, or in one that is linked in
};

void kernel_fini(struct kernel *kernel); // accepts a zeroed one

// What a batch of that kernel needs around it; NULL: nothing. kernel NULL is none.
static inline const struct batch_hooks *kernel_hooks(const struct kernel *kernel) {
    return kernel && kernel->maker ? kernel->maker->hooks : NULL;
}

#endif
