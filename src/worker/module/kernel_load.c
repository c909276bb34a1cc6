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

void kernel_fini(struct kernel *kernel) {
    if (kernel->maker) kernel->maker->free(kernel->self);
    module_close(kernel->module);
    *kernel = (struct kernel){0};
}

int kernel_source_of(const struct work_order *order, uint32_t side, struct kernel_source *ret,
                     struct err *err) {
    const char *name = order->sides[side].op;
    *ret = (struct kernel_source){.side = &order->sides[side],
                                  .number = side,
                                  .op = order->case_count ? order->cases[0].problem.op
                                        : name            ? operator_find(&order->operators, name)
                                                          : operator_at(&order->operators, 0)};
    if (ret->op) return 0;
    return err_set(err, ERR_USAGE, "side %u is for operator '%s', which this worker does not have", side,
                   str_shown(name).text);
}

static int find_kernel(const struct kernel_source *source, const char *backend, struct kernel *ret,
                       struct err *err) {
    const struct work_side *side = source->side;
    if (side->sim) {
        sim_kernel_make(source, ret);
        return 0;
    }
    if (side->python) return python_kernel_make(source, backend, ret, err);
    if (side->module_path) TRY(module_open(side->module_path, &ret->module, err));
    ret->abi = side->module_path ? module_find(ret->module, side->kernel_name, err)
                                 : builtin_find(side->kernel_name, err);
    return ret->abi ? 0 : -ERR_USAGE;
}

int kernel_load(const struct kernel_source *source, const struct device *device, struct kernel *ret,
                struct err *err) {
    const char *backend = device->backend->name;
    *ret = (struct kernel){0};
    TRY(find_kernel(source, backend, ret, err));
    if (strcmp(ret->abi->backend, backend) == 0) return 0;
    return err_set(err, ERR_USAGE,
                   "kernel '%s' is for backend '%s', the device is '%s'; choose another --device",
                   ret->abi->name, ret->abi->backend, device->info.device);
}

static int supports(const struct kernel *kernel, const struct assay_problem *problem,
                    struct assay_message *message) {
    if (strcmp(kernel->abi->op, problem->op) != 0) {
        char text[256];
        snprintf(text, sizeof text, "the kernel is for operator '%.96s', not for '%.96s'", kernel->abi->op,
                 problem->op);
        return assay_say(message, ASSAY_UNSUPPORTED, text);
    }
    const int status = assay_kernel_supports(kernel->abi, problem, message);
    if (status != ASSAY_OK || !kernel->maker || !kernel->maker->supports) return status;
    return kernel->maker->supports(kernel->self, problem, message);
}

static void call_prepare(struct device *device, const struct kernel *kernel,
                         const struct assay_problem *problem, struct assay_message *message,
                         struct kernel_prepared *ret) {
    const struct assay_kernel *abi = kernel->abi;
    char changed[256];
    ret->callback = KERNEL_PREPARE;
    void *const given = abi->abi_version >= MODULE_DECLARES_SINCE ? (void *)(uintptr_t)problem : NULL;
    ret->state = given;
    if (kernel->maker)
        ret->status = kernel->maker->prepare(kernel->self, problem, &device->env, &ret->state,
                                             &ret->workspace_bytes, message);
    else if (abi->prepare)
        ret->status = abi->prepare(problem, &device->env, &ret->state, &ret->workspace_bytes, message);
    if (ret->status != ASSAY_OK) return;
    ret->has_state = true;
    // The problem is not the kernel's to free.
    if (!given || ret->state != given) ret->release = abi->release;
    // If prepare changed settings that all kernels in this process share, they are restored and the kernel
    // fails.
    if (!device->backend->restore_shared || !device->backend->restore_shared(device, changed, sizeof changed))
        return;
    ret->callback = KERNEL_SETTINGS;
    ret->status = ASSAY_FAILED;
    snprintf(ret->text, sizeof ret->text, "%s", changed);
}

void kernel_prepare(struct device *device, const struct kernel *kernel, const struct assay_problem *problem,
                    struct kernel_prepared *ret) {
    memset(ret, 0, sizeof *ret);
    struct assay_message message = {.capacity = sizeof ret->text, .text = ret->text};
    ret->status = supports(kernel, problem, &message);
    if (ret->status != ASSAY_OK) return;
    ret->text[0] = 0;
    call_prepare(device, kernel, problem, &message, ret);
    ret->text[sizeof ret->text - 1] = 0;
}
