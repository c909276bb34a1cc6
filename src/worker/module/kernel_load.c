// SPDX-License-Identifier: Apache-2.0
//
// Where a kernel comes from, and its first two callbacks.
#include "worker/module/kernel_load.h"

#include <stdio.h>
#include <string.h>

#include <assay/kernel_supports.h>

#include "worker/module/builtin.h"
#include "worker/module/python_kernel.h"
#include "worker/module/sim_kernel.h"

_Static_assert(WORK_SIDES_MAX <= SIM_KERNELS_MAX, "every side may be a simulated kernel");

const char *work_order_op(const struct work_order *order, size_t side) {
    if (order->case_count) return order->cases[0].problem.op->name;
    return order->sides[side].op ? order->sides[side].op : operator_at(0)->name;
}

int kernel_load(const struct kernel_source *source, const struct device *device, struct module **ret_module,
                const struct assay_kernel **ret_kernel, struct err *err) {
    const struct work_side *side = source->side;
    const char *backend = device->backend->name;
    const struct assay_kernel *kernel;
    *ret_module = NULL;
    if (side->sim) {
        kernel = sim_kernel_make(side->sim, source->op, side->label, source->number);
    } else if (side->python) {
        kernel =
            python_kernel_make(side->python, side->python_path, source->op, backend, source->number, err);
        if (!kernel) return -(int)err->code;
    } else if (side->module_path) {
        TRY(module_open(side->module_path, ret_module, err));
        kernel = module_find(*ret_module, side->kernel_name, err);
    } else {
        kernel = builtin_find(side->kernel_name, err);
    }
    if (!kernel) return -ERR_USAGE;
    *ret_kernel = kernel;
    if (strcmp(kernel->backend, backend) == 0) return 0;
    return err_set(err, ERR_USAGE,
                   "kernel '%s' is for backend '%s', the device is '%s'; choose another --device",
                   kernel->name, kernel->backend, device->info.device);
}

static void call_prepare(struct device *device, const struct assay_kernel *kernel,
                         const struct assay_problem *problem, struct assay_message *message,
                         struct kernel_prepared *ret) {
    char changed[256];
    ret->callback = KERNEL_PREPARE;
    void *const given = kernel->abi_version >= MODULE_DECLARES_SINCE ? (void *)(uintptr_t)problem : NULL;
    ret->state = given;
    if (kernel->prepare)
        ret->status = kernel->prepare(problem, &device->env, &ret->state, &ret->workspace_bytes, message);
    if (ret->status != ASSAY_OK) return;
    ret->has_state = true;
    // The problem is not the kernel's to free.
    if (!given || ret->state != given) ret->release = kernel->release;
    // If prepare changed settings that all kernels in this process share, they are restored and the kernel
    // fails.
    if (!device->backend->restore_shared || !device->backend->restore_shared(device, changed, sizeof changed))
        return;
    ret->callback = KERNEL_SETTINGS;
    ret->status = ASSAY_FAILED;
    snprintf(ret->text, sizeof ret->text, "%s", changed);
}

void kernel_prepare(struct device *device, const struct assay_kernel *kernel,
                    const struct assay_problem *problem, struct kernel_prepared *ret) {
    memset(ret, 0, sizeof *ret);
    struct assay_message message = {.capacity = sizeof ret->text, .text = ret->text};
    ret->status = strcmp(kernel->op, problem->op) == 0
                      ? assay_kernel_supports(kernel, problem, &message)
                      : assay_say(&message, ASSAY_UNSUPPORTED, "the kernel is for another operator");
    if (ret->status != ASSAY_OK) return;
    ret->text[0] = 0;
    call_prepare(device, kernel, problem, &message, ret);
    ret->text[sizeof ret->text - 1] = 0;
}
