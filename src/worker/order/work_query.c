// SPDX-License-Identifier: Apache-2.0
//
// Orders that ask: what a module declares, which devices there are, what the device can do at most.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "worker/module/builtin.h"
#include "worker/module/python_kernel.h"
#include "worker/order/work_state.h"

_Static_assert(MODULE_PARAMS_MAX <= RECORD_PARAMS_MAX && MODULE_PARAM_VALUES_MAX <= RECORD_PARAM_VALUES_MAX,
               "a record must have room for what a module may declare");

// ---- describe ----

static const struct assay_param *find_param(const struct assay_kernel *kernel, const char *name,
                                            size_t length) {
    for (uint32_t i = 0; i < kernel->param_count; ++i)
        if (strlen(kernel->params[i].name) == length && memcmp(kernel->params[i].name, name, length) == 0)
            return &kernel->params[i];
    return NULL;
}

static bool is_allowed(const struct assay_param *param, long long value) {
    for (uint32_t i = 0; i < param->value_count; ++i)
        if (param->values[i] == value) return true;
    return !param->value_count;
}

// One "NAME=VALUE"; sets its scalar. False with the reason in *why.
static bool take_value(const struct assay_kernel *kernel, const char *item, size_t length,
                       struct assay_scalar *scalars, struct strbuf *why) {
    const char *equals = memchr(item, '=', length);
    size_t name_length = equals ? (size_t)(equals - item) : length;
    const struct assay_param *param = find_param(kernel, item, name_length);
    if (!param) {
        strbuf_addf(why, "kernel '%s' has no parameter '%.*s'", kernel->name, (int)name_length, item);
        return false;
    }
    char text[32] = "";
    size_t value_length = equals ? length - name_length - 1 : 0;
    if (value_length < sizeof text && equals) memcpy(text, equals + 1, value_length);
    long long value;
    if (str_parse_i64(text, &value) < 0 || !is_allowed(param, value)) {
        strbuf_addf(why, "parameter '%s' cannot be '%s'", param->name, text);
        return false;
    }
    scalars[param - kernel->params].value = (double)value;
    return true;
}

// NULL: the configuration is possible. Else the reason; caller frees.
static char *judge_config(const struct assay_kernel *kernel, const char *config) {
    struct assay_scalar scalars[MODULE_PARAMS_MAX];
    for (uint32_t i = 0; i < kernel->param_count; ++i)
        scalars[i] = (struct assay_scalar){kernel->params[i].name, (double)kernel->params[i].value};
    struct strbuf why = {0};
    for (const char *at = config; *at;) {
        size_t length = strcspn(at, ",");
        if (!take_value(kernel, at, length, scalars, &why)) return strbuf_take(&why);
        at += length;
        if (*at == ',') ++at;
    }
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
        TRY(builtin_find_library(wanted,
                                 err)); // a library that was named and is not there is no unsupported problem
        return write_kernel(work, side, kernel, err);
    }
    for (size_t i = 0; builtin_at(i); ++i) TRY(describe_module(work, side, builtin_at(i), err));
    return 0;
}

// The order's device says the backend: nothing in a Python function does.
static int describe_python(struct work *work, size_t side, struct err *err) {
    const struct work_side *wanted = &work->order->sides[side];
    char backend[16];
    snprintf(backend, sizeof backend, "%.*s", (int)strcspn(work->order->device, ":"), work->order->device);
    const struct assay_kernel *kernel = python_kernel_describe(
        wanted->python, wanted->python_path, work_op_of_cases(work->order), backend, (uint32_t)side, err);
    return kernel ? write_kernel(work, side, kernel, err) : -(int)err->code;
}

int work_describe(struct work *work, struct err *err) {
    for (size_t i = 0; i < work->order->side_count; ++i) {
        const char *path = work->order->sides[i].module_path;
        if (work->order->sides[i].python) {
            TRY(describe_python(work, i, err));
            continue;
        }
        if (work->order->sides[i].sim)
            return err_set(err, ERR_USAGE, "kernel '%s' is simulated: its script says all there is to say",
                           work->order->sides[i].sim->name);
        if (!path) {
            TRY(describe_builtin(work, i, err));
            continue;
        }
        TRY(module_open(path, &work->modules[i], err));
        TRY(describe_module(work, i, work->modules[i], err));
    }
    return 0;
}

// ---- devices ----

// What is only known of a device that is open: its state, and what a GPU's management library says.
static void look_inside(const struct backend *backend, struct device_info *info,
                        struct device_description *ret) {
    const struct device_request request = {.device = info->device};
    struct device *device = NULL;
    struct err err = {0};
    if (device_open(&request, &device, &err) < 0) {
        snprintf(info->detail, sizeof info->detail, "%.500s", err.text);
        return;
    }
    *info = device->info;
    backend->read_state(device, &ret->state);
    ret->state.clock_probe_hz = backend->read_clock_probe_hz(device);
    device_close(device);
}

static const char *text_or_null(const char *text) {
    return *text ? text : NULL;
}

static int write_device(struct work *work, const struct backend *backend, struct device_info *info,
                        struct err *err) {
    struct device_description d = {
        .backend = backend->name, .is_available = *info->device != 0, .state = device_state_unknown()};
    if (d.is_available) look_inside(backend, info, &d);
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

static int write_named(struct work *work, const char *device, struct err *err) {
    const struct backend *backend;
    struct device_info info = {0};
    TRY(backend_of(device, &backend, err));
    if (backend->find)
        TRY(backend->find(device, &info, err));
    else if (!backend->list(&info, 1))
        return err_set(err, ERR_UNAVAILABLE, "there is no device '%s' on this machine", device);
    return write_device(work, backend, &info, err);
}

int work_devices(struct work *work, struct err *err) {
    enum { DEVICES_MAX = 64 };
    if (work->order->device) return write_named(work, work->order->device, err);
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
