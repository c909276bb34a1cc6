// SPDX-License-Identifier: Apache-2.0
//
// See worker_query.h. Each query is one work order to one fresh worker.
#include "control/flow/worker_query.h"

#include <string.h>

#include "base/comma.h"
#include "base/strbuf.h"
#include "control/exec/executor.h"

#define QUERY_LIMIT_S 60.0

struct kernel_reply {
    struct arena *arena;
    struct kernel_description kernel;
    size_t count;
    struct strbuf names;
};

static int on_kernel(void *arg, const struct record *record, struct err *err) {
    (void)err;
    struct kernel_reply *reply = arg;
    if (record->kind != RECORD_KERNEL || !record->kernel) return 0;
    comma_add(&reply->names, record->kernel->name);
    if (reply->count++) return 0;
    struct kernel_description *kernel = &reply->kernel;
    *kernel = *record->kernel;
    kernel->name = arena_strdup(reply->arena, kernel->name);
    kernel->op = arena_strdup(reply->arena, kernel->op);
    kernel->backend = arena_strdup(reply->arena, kernel->backend);
    kernel->summary = arena_strdup(reply->arena, kernel->summary);
    kernel->version = arena_strdup(reply->arena, kernel->version);
    kernel->config_error = arena_strdup(reply->arena, kernel->config_error);
    for (size_t i = 0; i < kernel->param_count; ++i) {
        kernel->params[i].name = arena_strdup(reply->arena, kernel->params[i].name);
        kernel->params[i].help = arena_strdup(reply->arena, kernel->params[i].help);
    }
    return 0;
}

static struct work_order describe_order(const struct operator_set *operators, const struct result_side *side,
                                        const char *config) {
    // A Python function does not declare its backend: the order's device decides.
    const char *device = side->python ? str_or(side->backend, "cpu") : "cpu";
    struct work_order order = {.kind = WORK_DESCRIBE, .device = device, .side_count = 1};
    if (operators) order.operators = *operators;
    order.sides[0] = work_side_of(side);
    order.sides[0].label = str_or(side->label, side->kernel_name);
    order.sides[0].config = config;
    order.sampling = sampling_default();
    return order;
}

// Code that did not come with assay. An interpreter that imports for a GPU stays in the worker: it is not
// isolated when it is measured either.
static bool is_foreign(const struct result_side *side) {
    if (side->python) return side->python_path && !str_starts(str_or(side->backend, "cpu"), "cuda");
    return side->module_path != NULL;
}

static int describe(const struct query_side *query, const char *config, struct kernel_reply *reply,
                    struct err *err) {
    const struct result_side *side = query->side;
    struct work_order order = describe_order(query->operators, side, config);
    if (is_foreign(side)) order.sampling.isolation = ISOLATION_PROCESS;
    order.may_lack_sandbox = query->isolation != ISOLATION_PROCESS;
    int code = executor_query(&order, QUERY_LIMIT_S, on_kernel, reply, err);
    if (code == 0 && reply->count == 0)
        code = err_set(err, ERR_DATA, "%s declares no kernel%s%s", side->label ? side->label : "the module",
                       side->kernel_name ? " named " : "", side->kernel_name ? side->kernel_name : "");
    if (code == 0 && reply->count > 1)
        code = err_set(err, ERR_USAGE, "%s holds several kernels (%s); name one with 'entry:' or --kernel",
                       side->label, strbuf_text(&reply->names));
    strbuf_fini(&reply->names);
    return code;
}

int query_kernel(const struct query_side *query, struct arena *arena, struct kernel_description *ret,
                 struct err *err) {
    struct kernel_reply reply = {.arena = arena};
    TRY(describe(query, NULL, &reply, err));
    *ret = reply.kernel;
    return 0;
}

int query_check_config(const struct query_side *query, const char *config, struct arena *arena,
                       struct err *err) {
    struct kernel_reply reply = {.arena = arena};
    TRY(describe(query, config, &reply, err));
    if (!reply.kernel.config_error) return 0;
    struct strbuf declared = {0}, line = {0};
    for (size_t i = 0; i < reply.kernel.param_count; ++i) {
        const struct kernel_param *param = &reply.kernel.params[i];
        strbuf_clear(&line);
        strbuf_addf(&line, "  %s = ", param->name);
        for (size_t k = 0; k < param->value_count; ++k)
            strbuf_addf(&line, "%s%lld%s", k ? ", " : "", (long long)param->values[k],
                        param->values[k] == param->value ? " (default)" : "");
        if (param->help) strbuf_addf(&line, "  %s", param->help);
        strbuf_add_linef(&declared, "%s", line.text);
    }
    int code = err_set(err, ERR_USAGE, "--config %s: %s. %s declares:%s", config, reply.kernel.config_error,
                       reply.kernel.name, reply.kernel.param_count ? "" : " nothing");
    err_add_lines(err, strbuf_text(&declared));
    strbuf_fini(&declared);
    strbuf_fini(&line);
    return code;
}

bool query_is_linked_in(const char *kernel_name) {
    struct arena arena = {0};
    struct result_side side = {.label = kernel_name, .kernel_name = kernel_name};
    const struct query_side query = {.side = &side};
    struct kernel_reply reply = {.arena = &arena};
    struct err err = {0};
    bool is_found = describe(&query, NULL, &reply, &err) == 0;
    arena_fini(&arena);
    return is_found;
}

bool query_can_share_process(const struct operator_set *operators, const struct result_side *a,
                             const struct result_side *b) {
    struct arena arena = {0};
    struct work_order order = describe_order(operators, a, NULL);
    order.sides[1] = work_side_of(b);
    order.sides[1].label = str_or(b->label, b->kernel_name);
    order.side_count = 2;
    struct kernel_reply reply = {.arena = &arena};
    struct err err = {0};
    const bool can = executor_query(&order, QUERY_LIMIT_S, on_kernel, &reply, &err) == 0;
    strbuf_fini(&reply.names);
    arena_fini(&arena);
    return can;
}

struct support_reply {
    enum outcome *outcomes;
    size_t index_count;
};

static int on_supported(void *arg, const struct record *record, struct err *err) {
    (void)err;
    const struct support_reply *reply = arg;
    if (record->kind == RECORD_CHECK && record->case_index < reply->index_count)
        reply->outcomes[record->case_index] = record->check.outcome;
    return 0;
}

int query_supported(const struct query_support *query, enum outcome *ret, size_t index_count,
                    struct err *err) {
    struct work_order order = {.kind = WORK_SUPPORTS,
                               .operators = query->operators,
                               .device = query->device,
                               .sim = query->sim,
                               .thread_count = query->thread_count,
                               .sampling = sampling_default(),
                               .side_count = 1,
                               .case_count = query->case_count,
                               .cases = query->cases};
    struct support_reply reply = {ret, index_count};
    memset(ret, 0, index_count * sizeof *ret);
    order.sides[0] = work_side_of(query->side);
    order.sampling.isolation = query->isolation;
    TRY(executor_query(&order, QUERY_LIMIT_S, on_supported, &reply, err));
    for (size_t i = 0; i < index_count; ++i) // the worker says nothing of what is not supported
        if (ret[i] == OUTCOME_NONE) ret[i] = OUTCOME_UNSUPPORTED;
    return 0;
}

struct device_reply {
    query_device_fn on_device;
    void *arg;
};

static int on_device(void *arg, const struct record *record, struct err *err) {
    struct device_reply *reply = arg;
    if (record->kind != RECORD_DEVICE || !record->device) return 0;
    return reply->on_device(reply->arg, record->device, err);
}

int query_devices(const char *device, query_device_fn callback, void *arg, struct err *err) {
    struct work_order order = {.kind = WORK_DEVICES, .device = device, .sampling = sampling_default()};
    struct device_reply reply = {callback, arg};
    return executor_query(&order, QUERY_LIMIT_S, on_device, &reply, err);
}

struct identity_reply {
    struct arena *arena;
    struct device_identity *identity;
};

static int on_hello(void *arg, const struct record *record, struct err *err) {
    (void)err;
    struct identity_reply *reply = arg;
    if (record->kind != RECORD_HELLO) return 0;
    *reply->identity =
        (struct device_identity){.uuid = arena_strdup(reply->arena, record->environment.device_uuid),
                                 .driver = arena_strdup(reply->arena, record->environment.driver),
                                 .thread_count = record->environment.thread_count};
    return 0;
}

// An order for a check matrix without problems: the worker opens the device, sends its hello record and
// exits.
static int query_hello(const struct plan *plan, struct arena *arena, struct device_identity *ret,
                       struct err *err) {
    const struct work_order order = {.kind = WORK_CHECK,
                                     .device = plan->device,
                                     .thread_count = plan->thread_count,
                                     .processors = plan->processors,
                                     .sampling = sampling_default()};
    struct identity_reply reply = {.arena = arena, .identity = ret};
    return executor_query(&order, QUERY_LIMIT_S, on_hello, &reply, err);
}

int query_device_is_there(const struct plan *plan, struct err *err) {
    struct arena arena = {0};
    struct device_identity identity = {0};
    const int code = plan->sim ? 0 : query_hello(plan, &arena, &identity, err);
    arena_fini(&arena);
    return code;
}

int query_device_identity(const struct plan *plan, struct arena *arena, struct device_identity *ret,
                          struct err *err) {
    *ret = (struct device_identity){0};
    if (plan->sim) {
        char uuid[64];
        sim_device_uuid(plan->sim, uuid);
        *ret = (struct device_identity){.uuid = arena_strdup(arena, uuid), .thread_count = 1};
        return 0;
    }
    TRY(query_hello(plan, arena, ret, err));
    if (ret->uuid) return 0;
    return err_set(err, ERR_UNAVAILABLE, "device '%s' does not say which one it is", plan->device);
}
