// SPDX-License-Identifier: Apache-2.0
//
// See ceilings.h. A worker measures; this process stores.
#include "control/flow/ceilings.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "control/exec/executor.h"

#define MEASURE_LIMIT_S 60.0

const struct ceiling_name ceiling_names[CEILING_COUNT] = {
    [CEILING_FMA] = {"fp32_fma_gflop_per_s", "FMA ceiling", "GFLOP/s fp32"},
    [CEILING_READ] = {"read_gb_per_s", "read ceiling", "GB/s"},
    [CEILING_COPY] = {"copy_gb_per_s", "copy ceiling", "GB/s"},
};

static const struct ceilings not_measured = {.values = {NAN, NAN, NAN}};

struct ceiling_reply {
    struct arena *arena;
    struct ceilings *ceilings;
    char uuid[128];
    int64_t thread_count;
};

static int on_ceiling(void *arg, const struct record *record, struct err *err) {
    (void)err;
    struct ceiling_reply *reply = arg;
    if (record->kind == RECORD_HELLO && record->environment.device_uuid) {
        snprintf(reply->uuid, sizeof reply->uuid, "%s", record->environment.device_uuid);
        reply->thread_count = record->environment.thread_count;
    }
    if (record->kind != RECORD_CEILING) return 0;
    const struct ceiling *ceiling = &record->ceiling;
    for (int i = 0; i < CEILING_COUNT; ++i)
        if (str_equal(ceiling->name, ceiling_names[i].key)) reply->ceilings->values[i] = ceiling->value;
    if (str_equal(ceiling->name, ceiling_names[CEILING_FMA].key))
        reply->ceilings->detail = arena_strdup(reply->arena, ceiling->detail);
    return 0;
}

static char *ceilings_path(const char *device_uuid, int64_t thread_count) {
    char *cache = path_cache_dir();
    char *path = mem_format("%s/ceilings/%s-%lld.json", cache, device_uuid, (long long)thread_count);
    free(cache);
    return path;
}

static int store(const char *device_uuid, int64_t thread_count, const struct ceilings *ceilings,
                 struct err *err) {
    struct strbuf out = {0};
    struct json_writer w = json_writer_make(&out, 2);
    json_object_begin(&w, NULL);
    json_write_string(&w, "kind", "assay.ceilings");
    json_write_string(&w, "measured_utc", ceilings->measured_utc);
    json_maybe_string(&w, "detail", ceilings->detail);
    for (int i = 0; i < CEILING_COUNT; ++i) json_maybe_double(&w, ceiling_names[i].key, ceilings->values[i]);
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

int ceilings_measure(const char *device, uint32_t thread_count, struct arena *arena, struct ceilings *ret,
                     struct err *err) {
    *ret = not_measured;
    struct work_order order = {.kind = WORK_CEILINGS,
                               .device = device,
                               .thread_count = thread_count,
                               .sampling = sampling_default()};
    struct ceiling_reply reply = {.arena = arena, .ceilings = ret};
    TRY(executor_query(&order, MEASURE_LIMIT_S, on_ceiling, &reply, err));
    char now[32];
    clock_utc_text(now, sizeof now);
    ret->measured_utc = arena_strdup(arena, now);
    if (!reply.uuid[0]) return 0;
    struct ceilings before;
    if (ceilings_find(reply.uuid, reply.thread_count, arena, &before))
        for (int i = 0; i < CEILING_COUNT; ++i) ret->values[i] = fmax(ret->values[i], before.values[i]);
    return store(reply.uuid, reply.thread_count, ret, err);
}

bool ceilings_find(const char *device_uuid, int64_t thread_count, struct arena *arena, struct ceilings *ret) {
    *ret = not_measured;
    char *path = ceilings_path(device_uuid, thread_count);
    json_t *root = NULL;
    struct err err = {0};
    bool is_found = json_read_file(path, &root, &err) == 0;
    if (is_found) {
        struct json_at at = {root, path};
        const char *detail = NULL, *measured = NULL;
        for (int i = 0; is_found && i < CEILING_COUNT; ++i)
            is_found = json_find_double(&at, ceiling_names[i].key, &ret->values[i], &err) >= 0;
        is_found = is_found && json_find_string(&at, "detail", &detail, &err) >= 0 &&
                   json_find_string(&at, "measured_utc", &measured, &err) >= 0;
        ret->detail = arena_strdup(arena, detail);
        ret->measured_utc = arena_strdup(arena, measured);
    }
    json_decref(root);
    free(path);
    return is_found;
}

void ceilings_add_to(struct result *result) {
    struct ceilings ceilings;
    const char *uuid = result->environment.device_uuid;
    if (!uuid || !ceilings_find(uuid, result->environment.thread_count, &result->arena, &ceilings)) return;
    result->environment.ceiling_gflop_per_s = ceilings.values[CEILING_FMA];
    result->environment.ceiling_gb_per_s = ceilings.values[CEILING_READ];
}

int ceilings_need(const struct plan *plan, struct result *result, struct err *err) {
    struct ceilings ceilings;
    if (plan->sim) return 0; // a simulated device has no ceilings
    ceilings_add_to(result);
    if (isfinite(result->environment.ceiling_gflop_per_s)) return 0;
    TRY(ceilings_measure(plan->device, plan->thread_count, &result->arena, &ceilings, err));
    ceilings_add_to(result);
    return 0;
}
