// SPDX-License-Identifier: Apache-2.0
//
// See target.h: a worker says what the device is.
#include "control/flow/target.h"

#include <stdlib.h>
#include <string.h>

#include "control/flow/worker_query.h"

#define OWN_CODE_FROM 90

const char *target_of_isa(const char *isa, struct arena *arena) {
    if (!isa || strncmp(isa, "sm_", 3) != 0) return NULL;
    char *end;
    const long number = strtol(isa + 3, &end, 10);
    return arena_format(arena, "%s%s", isa, !*end && number >= OWN_CODE_FROM ? "a" : "");
}

struct answer {
    struct arena *arena;
    const char *target;
};

static int on_device(void *arg, const struct device_description *device, struct err *err) {
    (void)err;
    struct answer *answer = arg;
    answer->target = target_of_isa(device->isa, answer->arena);
    return 0;
}

int target_of_device(const char *device, struct arena *arena, const char **ret, struct err *err) {
    struct answer answer = {.arena = arena};
    TRY(query_devices(device, on_device, &answer, err));
    *ret = answer.target;
    return 0;
}
