// SPDX-License-Identifier: Apache-2.0
//
// See ceilings.h. A worker measures; this process stores.
#include "control/flow/ceilings.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "control/exec/executor.h"

#define MEASURE_LIMIT_S 60.0 // between two figures

static struct ceiling_key key_of(const struct environment *environment) {
    return (struct ceiling_key){.device_uuid = environment->device_uuid,
                                .driver = environment->driver,
                                .thread_count = environment->thread_count,
                                .power_limit_w = environment->power_limit_w};
}

// ---- measuring ----

struct ceiling_reply {
    struct arena arena; // of the key's texts
    struct ceiling_key key;
    const char *now_utc;
    size_t count;
    struct ceiling ceilings[CEILINGS_MAX];
};

static int on_ceiling(void *arg, const struct record *record, struct err *err) {
    (void)err;
    struct ceiling_reply *reply = arg;
    if (record->kind == RECORD_HELLO) {
        reply->key = key_of(&record->environment);
        reply->key.device_uuid = arena_strdup(&reply->arena, record->environment.device_uuid);
        reply->key.driver = arena_strdup(&reply->arena, record->environment.driver);
    }
    if (record->kind != RECORD_CEILING || reply->count == CEILINGS_MAX) return 0;
    struct ceiling *ceiling = &reply->ceilings[reply->count++];
    *ceiling = record->ceiling;
    members_own(&ceiling_members, &reply->arena, ceiling);
    ceiling->measured_utc = reply->now_utc;
    return 0;
}

int ceilings_measure(const char *device, uint32_t thread_count, struct err *err) {
    const struct work_order order = {.kind = WORK_CEILINGS,
                                     .device = device,
                                     .thread_count = thread_count,
                                     .sampling = sampling_default()};
    char now[32];
    clock_utc_text(now, sizeof now);
    struct ceiling_reply reply = {.now_utc = now};
    int code = executor_query(&order, MEASURE_LIMIT_S, on_ceiling, &reply, err);
    if (code == 0 && reply.key.device_uuid)
        code = ceiling_store_add(&reply.key, reply.ceilings, reply.count, err);
    arena_fini(&reply.arena);
    return code;
}

// ---- of a run ----

struct ceiling *ceilings_find(const struct environment *environment, struct arena *arena, size_t *ret_count) {
    *ret_count = 0;
    if (!environment->device_uuid) return NULL;
    const struct ceiling_key key = key_of(environment);
    const struct ceiling_entry entry = ceiling_store_find(&key, arena, NULL);
    for (size_t i = 0; i < entry.ceiling_count; ++i) { // those of the power mode move to the front
        const struct ceiling *ceiling = &entry.ceilings[i];
        if (!ceiling->power_mode || str_equal(ceiling->power_mode, environment->power_mode))
            entry.ceilings[(*ret_count)++] = *ceiling;
    }
    return entry.ceilings;
}

void ceilings_add_to(struct result *result) {
    struct environment *environment = &result->environment;
    if (!environment->device_uuid) return;
    environment->ceilings = ceilings_find(environment, &result->arena, &environment->ceiling_count);
}

int ceilings_need(const struct plan *plan, struct result *result, struct err *err) {
    if (plan->sim) return 0; // a simulated device has no ceilings
    ceilings_add_to(result);
    if (result->environment.ceiling_count) return 0;
    TRY(ceilings_measure(plan->device, plan->thread_count, err));
    ceilings_add_to(result);
    return 0;
}
