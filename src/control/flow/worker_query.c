// SPDX-License-Identifier: Apache-2.0
//
// See worker_query.h. Each question is one work order to one fresh worker.
#include "control/flow/worker_query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "control/exec/executor.h"
#include "control/flow/session.h"
#include "control/plan/plan.h"

#define QUERY_LIMIT_S 60.0

struct kernel_answer {
    struct arena *arena;
    struct kernel_description kernel;
    size_t count;
    struct strbuf names;
};

static void copy_kernel(const struct kernel_description *from, struct arena *arena,
                        struct kernel_description *ret) {
    *ret = *from;
    ret->name = arena_strdup(arena, from->name);
    ret->op = arena_strdup(arena, from->op);
    ret->backend = arena_strdup(arena, from->backend);
    ret->summary = arena_strdup(arena, from->summary);
    ret->config_error = arena_strdup(arena, from->config_error);
    for (size_t i = 0; i < from->param_count; ++i) {
        ret->params[i].name = arena_strdup(arena, from->params[i].name);
        ret->params[i].help = arena_strdup(arena, from->params[i].help);
    }
}

static int on_kernel(void *arg, const struct record *record, struct err *err) {
    (void)err;
    struct kernel_answer *answer = arg;
    if (record->kind != RECORD_KERNEL || !record->kernel) return 0;
    if (answer->count++ == 0) copy_kernel(record->kernel, answer->arena, &answer->kernel);
    strbuf_addf(&answer->names, "%s%s", answer->count > 1 ? ", " : "", record->kernel->name);
    return 0;
}

static struct work_order describe_order(const struct result_side *side, const char *config) {
    // Nothing in a Python function says its backend: the order's device does.
    const char *device = side->python ? str_or(side->backend, "cpu") : "cpu";
    struct work_order order = {.kind = WORK_DESCRIBE, .device = device, .side_count = 1};
    order.sides[0] = work_side_of(side);
    order.sides[0].label = str_or(side->label, side->kernel_name);
    order.sides[0].config = config;
    order.sampling = sampling_default();
    return order;
}

static int describe(const struct result_side *side, const char *config, struct kernel_answer *answer,
                    struct err *err) {
    struct work_order order = describe_order(side, config);
    int code = executor_query(&order, QUERY_LIMIT_S, on_kernel, answer, err);
    if (code == 0 && answer->count == 0)
        code = err_set(err, ERR_DATA, "%s declares no kernel%s%s", side->label ? side->label : "the module",
                       side->kernel_name ? " named " : "", side->kernel_name ? side->kernel_name : "");
    if (code == 0 && answer->count > 1)
        code = err_set(err, ERR_USAGE, "%s holds several kernels (%s); name one with 'entry:' or --kernel",
                       side->label, strbuf_text(&answer->names));
    strbuf_fini(&answer->names);
    return code;
}

int query_kernel(const struct result_side *side, struct arena *arena, struct kernel_description *ret,
                 struct err *err) {
    struct kernel_answer answer = {.arena = arena};
    TRY(describe(side, NULL, &answer, err));
    *ret = answer.kernel;
    return 0;
}

static void declared_params(const struct kernel_description *kernel, struct strbuf *out) {
    for (size_t i = 0; i < kernel->param_count; ++i) {
        const struct kernel_param *param = &kernel->params[i];
        strbuf_addf(out, "\n  %s = ", param->name);
        for (size_t k = 0; k < param->value_count; ++k)
            strbuf_addf(out, "%s%lld%s", k ? ", " : "", (long long)param->values[k],
                        param->values[k] == param->value ? " (default)" : "");
        if (param->help) strbuf_addf(out, "  %s", param->help);
    }
    if (!kernel->param_count) strbuf_add(out, " nothing");
}

int query_check_config(const struct result_side *side, const char *config, struct arena *arena,
                       struct err *err) {
    struct kernel_answer answer = {.arena = arena};
    TRY(describe(side, config, &answer, err));
    if (!answer.kernel.config_error) return 0;
    struct strbuf declared = {0};
    declared_params(&answer.kernel, &declared);
    int code = err_set(err, ERR_USAGE, "--config %s: %s. %s declares:%s", config, answer.kernel.config_error,
                       answer.kernel.name, strbuf_text(&declared));
    strbuf_fini(&declared);
    return code;
}

bool query_is_linked_in(const char *kernel_name) {
    struct arena arena = {0};
    struct result_side side = {.label = kernel_name, .kernel_name = kernel_name};
    struct kernel_answer answer = {.arena = &arena};
    struct err err = {0};
    bool is_found = describe(&side, NULL, &answer, &err) == 0;
    arena_fini(&arena);
    return is_found;
}

bool query_can_share_process(const struct result_side *a, const struct result_side *b) {
    struct arena arena = {0};
    struct work_order order = describe_order(a, NULL);
    order.sides[1] = work_side_of(b);
    order.sides[1].label = str_or(b->label, b->kernel_name);
    order.side_count = 2;
    struct kernel_answer answer = {.arena = &arena};
    struct err err = {0};
    const bool can = executor_query(&order, QUERY_LIMIT_S, on_kernel, &answer, &err) == 0;
    strbuf_fini(&answer.names);
    arena_fini(&arena);
    return can;
}

struct device_answer {
    query_device_fn on_device;
    void *arg;
};

static int on_device(void *arg, const struct record *record, struct err *err) {
    struct device_answer *answer = arg;
    if (record->kind != RECORD_DEVICE || !record->device) return 0;
    return answer->on_device(answer->arg, record->device, err);
}

int query_devices(const char *device, query_device_fn callback, void *arg, struct err *err) {
    struct work_order order = {.kind = WORK_DEVICES, .device = device, .sampling = sampling_default()};
    struct device_answer answer = {callback, arg};
    return executor_query(&order, QUERY_LIMIT_S, on_device, &answer, err);
}

struct identity_answer {
    struct arena *arena;
    struct device_identity *identity;
};

static int on_hello(void *arg, const struct record *record, struct err *err) {
    (void)err;
    struct identity_answer *answer = arg;
    if (record->kind != RECORD_HELLO) return 0;
    *answer->identity =
        (struct device_identity){.uuid = arena_strdup(answer->arena, record->environment.device_uuid),
                                 .driver = arena_strdup(answer->arena, record->environment.driver),
                                 .thread_count = record->environment.thread_count};
    return 0;
}

// A matrix without problems: the worker opens the device, says hello and goes.
static int query_hello(const struct plan *plan, struct arena *arena, struct device_identity *ret,
                       struct err *err) {
    const struct work_order order = {.kind = WORK_CHECK,
                                     .device = plan->device,
                                     .thread_count = plan->thread_count,
                                     .sampling = sampling_default()};
    struct identity_answer answer = {.arena = arena, .identity = ret};
    return executor_query(&order, QUERY_LIMIT_S, on_hello, &answer, err);
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

// ---- ceilings ----

struct ceiling_answer {
    struct arena *arena;
    struct ceilings *ceilings;
    char uuid[128];
    int64_t thread_count;
};

static int on_ceiling(void *arg, const struct record *record, struct err *err) {
    (void)err;
    struct ceiling_answer *answer = arg;
    if (record->kind == RECORD_HELLO && record->environment.device_uuid) {
        snprintf(answer->uuid, sizeof answer->uuid, "%s", record->environment.device_uuid);
        answer->thread_count = record->environment.thread_count;
    }
    if (record->kind != RECORD_CEILING) return 0;
    const struct ceiling *ceiling = &record->ceiling;
    if (str_equal(ceiling->name, "fp32_fma_gflop_per_s")) {
        answer->ceilings->fma_gflop_per_s = ceiling->value;
        answer->ceilings->detail = arena_strdup(answer->arena, ceiling->detail);
    } else if (str_equal(ceiling->name, "read_gb_per_s")) {
        answer->ceilings->read_gb_per_s = ceiling->value;
    } else if (str_equal(ceiling->name, "copy_gb_per_s")) {
        answer->ceilings->copy_gb_per_s = ceiling->value;
    }
    return 0;
}

static char *ceilings_path(const char *device_uuid, int64_t thread_count) {
    char *cache = path_cache_dir();
    char *path = mem_format("%s/ceilings/%s-%lld.json", cache, device_uuid, (long long)thread_count);
    free(cache);
    return path;
}

static int store_ceilings(const char *device_uuid, int64_t thread_count, const struct ceilings *ceilings,
                          struct err *err) {
    struct strbuf out = {0};
    struct json_writer w = json_writer_make(&out, 2);
    json_object_begin(&w, NULL);
    json_write_string(&w, "kind", "assay.ceilings");
    json_write_string(&w, "measured_utc", ceilings->measured_utc);
    json_maybe_string(&w, "detail", ceilings->detail);
    json_maybe_double(&w, "fp32_fma_gflop_per_s", ceilings->fma_gflop_per_s);
    json_maybe_double(&w, "read_gb_per_s", ceilings->read_gb_per_s);
    json_maybe_double(&w, "copy_gb_per_s", ceilings->copy_gb_per_s);
    json_object_end(&w);
    strbuf_add_char(&out, '\n');
    char *path = ceilings_path(device_uuid, thread_count), *dir = path_dir(path);
    int code = file_make_dirs(dir, err);
    if (code == 0) code = file_write_atomic(path, strbuf_text(&out), out.length, err);
    free(dir);
    free(path);
    strbuf_fini(&out);
    return code;
}

static void keep_higher(const char *device_uuid, int64_t thread_count, struct arena *arena,
                        struct ceilings *now) {
    struct ceilings before;
    if (!ceilings_find(device_uuid, thread_count, arena, &before)) return;
    now->fma_gflop_per_s = fmax(now->fma_gflop_per_s, before.fma_gflop_per_s);
    now->read_gb_per_s = fmax(now->read_gb_per_s, before.read_gb_per_s);
    now->copy_gb_per_s = fmax(now->copy_gb_per_s, before.copy_gb_per_s);
}

int query_ceilings(const char *device, uint32_t thread_count, struct arena *arena, struct ceilings *ret,
                   struct err *err) {
    *ret = (struct ceilings){.fma_gflop_per_s = NAN, .read_gb_per_s = NAN, .copy_gb_per_s = NAN};
    struct work_order order = {.kind = WORK_CEILINGS,
                               .device = device,
                               .thread_count = thread_count,
                               .sampling = sampling_default()};
    struct ceiling_answer answer = {.arena = arena, .ceilings = ret};
    TRY(executor_query(&order, QUERY_LIMIT_S, on_ceiling, &answer, err));
    char now[32];
    clock_utc_text(now, sizeof now);
    ret->measured_utc = arena_strdup(arena, now);
    if (!answer.uuid[0]) return 0;
    keep_higher(answer.uuid, answer.thread_count, arena, ret);
    return store_ceilings(answer.uuid, answer.thread_count, ret, err);
}

bool ceilings_find(const char *device_uuid, int64_t thread_count, struct arena *arena, struct ceilings *ret) {
    *ret = (struct ceilings){.fma_gflop_per_s = NAN, .read_gb_per_s = NAN, .copy_gb_per_s = NAN};
    char *path = ceilings_path(device_uuid, thread_count);
    json_t *root = NULL;
    struct err err = {0};
    bool is_found = json_read_file(path, &root, &err) == 0;
    if (is_found) {
        struct json_at at = {root, path};
        const char *detail = NULL, *measured = NULL;
        is_found = json_find_double(&at, "fp32_fma_gflop_per_s", &ret->fma_gflop_per_s, &err) >= 0 &&
                   json_find_double(&at, "read_gb_per_s", &ret->read_gb_per_s, &err) >= 0 &&
                   json_find_double(&at, "copy_gb_per_s", &ret->copy_gb_per_s, &err) >= 0 &&
                   json_find_string(&at, "detail", &detail, &err) >= 0 &&
                   json_find_string(&at, "measured_utc", &measured, &err) >= 0;
        ret->detail = arena_strdup(arena, detail);
        ret->measured_utc = arena_strdup(arena, measured);
    }
    json_decref(root);
    free(path);
    return is_found;
}
