// SPDX-License-Identifier: Apache-2.0
//
// Orders that query: what a module declares, and which devices there are.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/comma.h"
#include "base/mem.h"
#include "worker/module/builtin.h"
#include "worker/module/python_kernel.h"
#include "worker/order/work_internal.h"

_Static_assert(MODULE_PARAMS_MAX <= RECORD_PARAMS_MAX && MODULE_PARAM_VALUES_MAX <= RECORD_PARAM_VALUES_MAX,
               "a record must have room for what a module may declare");

// ---- describe ----

const char *work_op_of_side(const struct work_order *order, size_t side) {
    if (order->case_count) return order->cases[0].problem.op->name;
    return str_or(order->sides[side].op, operator_at(0)->name);
}

// One "NAME=VALUE". False with the reason in *why.
static bool set_scalar(const struct assay_kernel *kernel, struct comma_item item,
                       struct assay_scalar *scalars, struct strbuf *why) {
    const char *equals = memchr(item.text, '=', item.length);
    const struct comma_item name = {item.text, equals ? (size_t)(equals - item.text) : item.length};
    uint32_t index = 0;
    while (index < kernel->param_count && !comma_item_is(name, kernel->params[index].name)) ++index;
    if (index == kernel->param_count) {
        strbuf_addf(why, "kernel '%s' has no parameter '%.*s'", kernel->name, (int)name.length, name.text);
        return false;
    }
    const struct assay_param *param = &kernel->params[index];
    char text[32] = "";
    const size_t value_length = equals ? item.length - name.length - 1 : 0;
    if (value_length < sizeof text && equals) memcpy(text, equals + 1, value_length);
    long long value;
    bool is_allowed = false;
    if (str_parse_i64(text, &value) == 0) {
        is_allowed = param->value_count == 0;
        for (uint32_t i = 0; i < param->value_count; ++i) is_allowed |= param->values[i] == value;
    }
    if (!is_allowed) {
        strbuf_addf(why, "parameter '%s' cannot be '%s'", param->name, text);
        return false;
    }
    scalars[index].value = (double)value;
    return true;
}

// NULL: the configuration is possible. Else the reason; caller frees.
static char *judge_config(const struct assay_kernel *kernel, const char *config) {
    struct assay_scalar scalars[MODULE_PARAMS_MAX];
    for (uint32_t i = 0; i < kernel->param_count; ++i)
        scalars[i] = (struct assay_scalar){kernel->params[i].name, (double)kernel->params[i].value};
    struct strbuf why = {0};
    struct comma_item item;
    for (const char *at = config; comma_next(&at, &item);)
        if (item.length && !set_scalar(kernel, item, scalars, &why)) return strbuf_take(&why);
    if (!kernel->check_config) return NULL;
    char text[MODULE_MESSAGE_BYTES] = "";
    struct assay_message message = {.capacity = sizeof text, .text = text};
    if (kernel->check_config(scalars, kernel->param_count, &message) == ASSAY_OK) return NULL;
    strbuf_addf(&why, "kernel '%s' refuses this configuration: %s", kernel->name,
                *text ? text : "it gives no reason");
    return strbuf_take(&why);
}

static int write_kernel(struct work *work, size_t side, const struct assay_kernel *kernel, struct err *err) {
    struct kernel_description *d = mem_alloc(sizeof *d);
    d->name = kernel->name;
    d->op = kernel->op;
    d->backend = kernel->backend;
    d->summary = kernel->summary;
    d->abi_version = kernel->abi_version;
    d->param_count = kernel->param_count;
    for (uint32_t i = 0; i < kernel->param_count; ++i) {
        const struct assay_param *from = &kernel->params[i];
        struct kernel_param *to = &d->params[i];
        to->name = from->name;
        to->help = from->help;
        to->value = from->value;
        to->value_count = from->value_count;
        for (uint32_t v = 0; v < from->value_count; ++v) to->values[v] = from->values[v];
    }
    const char *config = work->order->sides[side].config;
    char *config_error = config ? judge_config(kernel, config) : NULL;
    d->config_error = config_error;
    struct record record = work_record(work, RECORD_KERNEL);
    record.side = (uint32_t)side;
    record.kernel = d;
    int code = work_write(work, &record, err);
    free(config_error);
    free(d);
    return code;
}

static int describe_module(struct work *work, size_t side, const struct module *module, struct err *err) {
    const char *wanted = work->order->sides[side].kernel_name;
    if (wanted) {
        const struct assay_kernel *kernel = module_find(module, wanted, err);
        return kernel ? write_kernel(work, side, kernel, err) : -ERR_USAGE;
    }
    for (size_t i = 0; i < module_kernel_count(module); ++i)
        TRY(write_kernel(work, side, module_kernel_at(module, i), err));
    return 0;
}

static int describe_builtin(struct work *work, size_t side, struct err *err) {
    const char *wanted = work->order->sides[side].kernel_name;
    if (wanted) {
        const struct assay_kernel *kernel = builtin_find(wanted, err);
        if (!kernel) return -ERR_USAGE;
        // A missing library is an error here, not an unsupported problem.
        TRY(builtin_find_library(wanted, err));
        return write_kernel(work, side, kernel, err);
    }
    for (size_t i = 0; builtin_at(i); ++i) TRY(describe_module(work, side, builtin_at(i), err));
    return 0;
}

int work_describe(struct work *work, struct err *err) {
    for (size_t i = 0; i < work->order->side_count; ++i) {
        const struct work_side *side = &work->order->sides[i];
        if (side->python) { // the order's device says the backend: nothing in a Python function does
            const char *device = work->order->device;
            char backend[16];
            snprintf(backend, sizeof backend, "%.*s", (int)strcspn(device, ":"), device);
            const struct assay_kernel *kernel = python_kernel_describe(
                side->python, side->python_path, work_op_of_side(work->order, i), backend, (uint32_t)i, err);
            TRY(kernel ? write_kernel(work, i, kernel, err) : -(int)err->code);
        } else if (side->sim) {
            return err_set(err, ERR_USAGE, "kernel '%s' is simulated: its script says all there is to say",
                           side->sim->name);
        } else if (side->module_path) {
            TRY(module_open(side->module_path, &work->modules[i], err));
            TRY(describe_module(work, i, work->modules[i], err));
        } else {
            TRY(describe_builtin(work, i, err));
        }
    }
    return 0;
}

// ---- devices ----

static const char *text_or_null(const char *text) {
    return *text ? text : NULL;
}

static int write_device(struct work *work, const struct backend *backend, struct device_info *info,
                        struct err *err) {
    struct device_description d = {
        .backend = backend->name, .is_available = *info->device != 0, .state = device_state_unknown()};
    if (d.is_available) { // its state, and what a GPU's management library says, need an open device
        const struct device_request request = {.device = info->device};
        struct device *device = NULL;
        struct err why = {0};
        if (device_open(&request, &device, &why) < 0) {
            snprintf(info->detail, sizeof info->detail, "%.500s", why.text);
        } else {
            *info = device->info;
            backend->read_state(device, &d.state);
            d.state.clock_probe_hz = backend->read_clock_probe_hz(device);
            device_close(device);
        }
    }
    d.device = text_or_null(info->device);
    d.name = text_or_null(info->name);
    d.uuid = text_or_null(info->uuid);
    d.detail = text_or_null(info->detail);
    d.isa = text_or_null(info->isa);
    d.driver = text_or_null(info->driver);
    d.thread_count = info->thread_count;
    d.memory_bytes = (int64_t)info->memory_bytes;
    d.l2_bytes = (int64_t)info->l2_bytes;
    d.gpu = info->gpu;
    struct record record = work_record(work, RECORD_DEVICE);
    record.device = &d;
    return work_write(work, &record, err);
}

int work_devices(struct work *work, struct err *err) {
    enum { DEVICES_MAX = 64 };
    const char *wanted = work->order->device;
    if (wanted) {
        const struct backend *backend;
        struct device_info info = {0};
        TRY(backend_of(wanted, &backend, err));
        if (backend->find)
            TRY(backend->find(wanted, &info, err));
        else if (!backend->list(&info, 1))
            return err_set(err, ERR_UNAVAILABLE, "there is no device '%s' on this machine", wanted);
        return write_device(work, backend, &info, err);
    }
    struct device_info *infos = mem_alloc(DEVICES_MAX * sizeof *infos);
    int code = 0;
    for (size_t b = 0; backend_at(b) && code == 0; ++b) {
        size_t count = backend_at(b)->list(infos, DEVICES_MAX);
        for (size_t i = 0; i < count && code == 0; ++i)
            code = write_device(work, backend_at(b), &infos[i], err);
    }
    free(infos);
    return code;
}
