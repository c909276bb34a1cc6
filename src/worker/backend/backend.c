// SPDX-License-Identifier: Apache-2.0
//
// The table of backends, and functions that are the same for all of them.
#include "worker/backend/backend.h"

#include <math.h>

#include "base/clock.h"
#include "base/comma.h"
#include "base/rng.h"
#include "base/strbuf.h"
#include "record/device_name.h"

// X(name): struct backend backend_<name>, of the folder <name>/.
#define BACKENDS(X) X(cpu) X(cuda) X(sim)

#define DECLARE(name) extern const struct backend backend_##name;
BACKENDS(DECLARE)
#define ADDRESS(name) &backend_##name,
static const struct backend *const backends[] = {BACKENDS(ADDRESS)};
#define BACKEND_COUNT (sizeof backends / sizeof backends[0])

const struct backend *backend_at(size_t index) {
    return index < BACKEND_COUNT ? backends[index] : NULL;
}

uint64_t device_now_ns(const struct device *device) {
    return device && device->backend->now_ns ? device->backend->now_ns(device) : clock_ns();
}

int backend_of(const char *device, const struct backend **ret, struct err *err) {
    for (size_t i = 0; i < BACKEND_COUNT; ++i) {
        *ret = backends[i];
        if (device_name_is_of(device, backends[i]->name, backends[i]->uuid_prefix, NULL)) return 0;
    }
    struct strbuf names = {0};
    *ret = NULL;
    for (size_t i = 0; i < BACKEND_COUNT; ++i) comma_add(&names, backends[i]->name);
    err_set(err, ERR_USAGE, "no backend for device '%s'; this assay has %s. 'assay devices' lists them",
            device, strbuf_text(&names));
    strbuf_fini(&names);
    return -ERR_USAGE;
}

int device_open(const struct device_request *request, struct device **ret, struct err *err) {
    const struct backend *backend;
    TRY(backend_of(request->device, &backend, err));
    return backend->open(request, ret, err);
}

void device_close(struct device *device) {
    if (device) device->backend->close(device);
}

uint64_t batch_set_key(const struct assay_tensors *set) {
    uint64_t key = 0;
    for (uint32_t i = 0; i < set->tensor_count; ++i)
        key = rng_u64(key, (uint64_t)(uintptr_t)assay_tensor_at(set, i)->data, i);
    return key;
}

double state_window_load_pct(const struct state_window *window) {
    if (!window->capacity_ns) return NAN;
    double load_ns = (double)window->others_ns + (double)window->steal_ns - (double)window->uncertainty_ns;
    return load_ns > 0 ? 100.0 * load_ns / (double)window->capacity_ns : 0.0;
}
