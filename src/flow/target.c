// SPDX-License-Identifier: Apache-2.0
//
// See target.h: a worker lists the devices, the one that is meant says what it is.
#include "flow/target.h"

#include "base/strbuf.h"
#include "flow/ask.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define OWN_CODE_FROM 90

const char *target_of_isa(const char *isa, struct arena *arena) {
    if (!isa || strncmp(isa, "sm_", 3) != 0) return NULL;
    char *end;
    const long number = strtol(isa + 3, &end, 10);
    return arena_format(arena, "%s%s", isa, !*end && number >= OWN_CODE_FROM ? "a" : "");
}

struct search {
    const char *device;
    struct arena *arena;
    const char *target;
};

static bool is_meant(const char *asked, const struct device_description *found) {
    if (str_equal(asked, "cuda")) return str_equal(found->device, "cuda:0");
    if (str_equal(asked, found->device)) return true;
    const char *uuid = str_starts(asked, "cuda:") ? asked + 5 : asked;
    return str_starts(uuid, "GPU-") && found->uuid && strncasecmp(found->uuid, uuid, strlen(uuid)) == 0;
}

static int on_device(void *arg, const struct device_description *device, struct err *err) {
    (void)err;
    struct search *search = arg;
    if (str_equal(device->backend, "cuda") && !search->target && is_meant(search->device, device))
        search->target = target_of_isa(device->isa, search->arena);
    return 0;
}

const char *target_of_device(const char *device, struct arena *arena) {
    struct search search = {.device = device, .arena = arena};
    return ask_devices(on_device, &search, NULL) < 0 ? NULL : search.target;
}
