// SPDX-License-Identifier: Apache-2.0
//
// Loads what a side names, and lists what it declares.
#include "worker/module/kernel_describe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/comma.h"
#include "base/mem.h"
#include "worker/module/builtin.h"
#include "worker/module/kernel_load.h"
#include "worker/module/python_kernel.h"

_Static_assert(MODULE_PARAMS_MAX <= RECORD_PARAMS_MAX && MODULE_PARAM_VALUES_MAX <= RECORD_PARAM_VALUES_MAX,
               "a record must have room for what a module may declare");

struct listing {
    const struct work_side *side;
    kernel_describe_fn on_kernel;
    void *arg;
};

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

// version: of the library behind the kernel; "": it states none.
static int say_kernel(const struct listing *listing, const struct assay_kernel *kernel, const char *version,
                      struct err *err) {
    struct kernel_description *d = mem_alloc(sizeof *d);
    d->name = kernel->name;
    d->op = kernel->op;
    d->backend = kernel->backend;
    d->summary = kernel->summary;
    d->version = *version ? version : NULL;
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
    const char *config = listing->side->config;
    char *config_error = config ? judge_config(kernel, config) : NULL;
    d->config_error = config_error;
    const int code = listing->on_kernel(listing->arg, d, err);
    free(config_error);
    free(d);
    return code;
}

static int describe_module(const struct listing *listing, const struct module *module, struct err *err) {
    const char *wanted = listing->side->kernel_name;
    if (wanted) {
        const struct assay_kernel *kernel = module_find(module, wanted, err);
        return kernel ? say_kernel(listing, kernel, "", err) : -ERR_USAGE;
    }
    for (size_t i = 0; i < module_kernel_count(module); ++i)
        TRY(say_kernel(listing, module_kernel_at(module, i), "", err));
    return 0;
}

static int describe_builtin(const struct listing *listing, struct err *err) {
    const char *wanted = listing->side->kernel_name;
    if (wanted) {
        const struct assay_kernel *kernel = builtin_find(wanted, err);
        if (!kernel) return -ERR_USAGE;
        char version[MODULE_VERSION_BYTES];
        // A missing library is an error here, not an unsupported problem.
        TRY(builtin_find_library(wanted, version, err));
        return say_kernel(listing, kernel, version, err);
    }
    for (size_t i = 0; builtin_at(i); ++i) TRY(describe_module(listing, builtin_at(i), err));
    return 0;
}

// The order's device says the backend: nothing in a Python function does.
static int describe_python(const struct work_order *order, size_t number, const struct listing *listing,
                           struct err *err) {
    const char *device = str_or(order->device, "cpu");
    char backend[16];
    snprintf(backend, sizeof backend, "%.*s", (int)strcspn(device, ":"), device);
    struct kernel_source source;
    struct kernel kernel = {0};
    TRY(kernel_source_of(order, (uint32_t)number, &source, err));
    TRY(python_kernel_describe(&source, backend, &kernel, err));
    const int code = say_kernel(listing, kernel.abi, python_kernel_version(&kernel), err);
    kernel_fini(&kernel);
    return code;
}

int kernel_describe(const struct work_order *order, size_t side, kernel_describe_fn on_kernel, void *arg,
                    struct module **ret_module, struct err *err) {
    const struct work_side *described = &order->sides[side];
    const struct listing listing = {described, on_kernel, arg};
    *ret_module = NULL;
    if (described->python) return describe_python(order, side, &listing, err);
    if (described->sim)
        return err_set(err, ERR_USAGE, "kernel '%s' is simulated: its script says all there is to say",
                       described->sim->name);
    if (!described->module_path) return describe_builtin(&listing, err);
    TRY(module_open(described->module_path, ret_module, err));
    return describe_module(&listing, *ret_module, err);
}
