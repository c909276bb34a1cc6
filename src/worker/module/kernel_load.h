// SPDX-License-Identifier: Apache-2.0
//
// From a side of a work order to a kernel that is prepared for a problem: the first code of the kernel under
// test runs here, in whichever process that is.
#ifndef WORKER_MODULE_KERNEL_LOAD_H
#define WORKER_MODULE_KERNEL_LOAD_H

#include "record/work_order.h"
#include "worker/backend/backend.h"
#include "worker/module/kernel.h"

// Loads the module of the side (a shared library, a linked-in module, a script, a Python function) and finds
// its kernel. Call kernel_fini in any case. ERR_USAGE: no such kernel, or it is for another backend.
int kernel_load(const struct kernel_source *source, const struct device *device, struct kernel *ret,
                struct err *err);

// The source of that side of the order. Its operator is that of the cases, or the side's if the order has
// none. ERR_USAGE: there is none of that name.
int kernel_source_of(const struct work_order *order, uint32_t side, struct kernel_source *ret,
                     struct err *err);

// Which callback gave the status.
enum kernel_callback {
    KERNEL_SUPPORTS = 0,
    KERNEL_PREPARE,
    KERNEL_SETTINGS, // none: prepare changed settings that all kernels share; text says which
    KERNEL_CALLBACK_COUNT
};

struct kernel_prepared {
    enum kernel_callback callback; // the last one that was called
    int status;                    // ASSAY_OK: the kernel is prepared
    bool has_state;                // prepare went well
    void *state;
    void (*release)(void *state); // NULL: nothing is due; the state is the problem, or lies in a host
    size_t workspace_bytes;
    char text[MODULE_MESSAGE_BYTES]; // the callback's sentence, or prepare's note
};

// Calls supports and prepare. The problem has to stay until release, since it may be the state.
void kernel_prepare(struct device *device, const struct kernel *kernel, const struct assay_problem *problem,
                    struct kernel_prepared *ret);

#endif
