// SPDX-License-Identifier: Apache-2.0
//
// What all kernels of a process share on a device beside its memory: limits of the context, attributes of the
// stream that they are given, lines that one has pinned in the cache. Changed by one, they would change the
// other's times.
#include <stdio.h>

#include "worker/backend/cuda/cuda_internal.h"

#define LIMIT_L2_FETCH_BYTES     5
#define LIMIT_L2_PERSIST_BYTES   6
#define ATTRIBUTE_ACCESS_WINDOW  1
#define STREAM_ATTRIBUTE_BYTES   64
#define STREAM_ATTRIBUTE_ALIGNED 8

static const struct {
    int limit;
    const char *name;
} limits[CUDA_SHARED_LIMITS] = {
    {LIMIT_L2_FETCH_BYTES, "the L2's fetch granularity"},
    {LIMIT_L2_PERSIST_BYTES, "the part of the L2 for persisting accesses"},
};

// A limit that this device does not know stays unknown, and cannot be changed either.
void cuda_context_state_open(struct cuda_device *machine) {
    struct cuda_context_state *shared = &machine->shared;
    for (size_t i = 0; i < CUDA_SHARED_LIMITS; ++i)
        shared->is_known[i] = machine->driver->ctx_get_limit(&shared->limits[i], limits[i].limit) == CUDA_OK;
}

bool cuda_context_state_restore(struct device *device, char *ret_text, size_t capacity) {
    struct cuda_device *machine = cuda_device_of(device);
    const struct cuda_context_state *shared = &machine->shared;
    bool is_changed = false;
    if (cuda_enter(machine, NULL) < 0) return false; // the launch that follows says why
    for (size_t i = 0; i < CUDA_SHARED_LIMITS; ++i) {
        size_t now = 0;
        if (!shared->is_known[i] || machine->driver->ctx_get_limit(&now, limits[i].limit)) continue;
        if (now == shared->limits[i]) continue;
        (void)machine->driver->ctx_set_limit(limits[i].limit, shared->limits[i]);
        if (!is_changed)
            snprintf(ret_text, capacity,
                     "changed %s from %zu to %zu bytes: a limit of the context, which all sides share, so "
                     "another's times would change too",
                     limits[i].name, shared->limits[i], now);
        is_changed = true;
    }
    return is_changed;
}

// A window that a launch leaves on the stream would be the next kernel's. Lines that a kernel pinned are its
// own as long as it goes on. A device that can pin none refuses both.
void cuda_context_state_begin(struct cuda_device *machine, const struct batch *batch) {
    _Alignas(STREAM_ATTRIBUTE_ALIGNED) const unsigned char no_window[STREAM_ATTRIBUTE_BYTES] = {0};
    struct cuda_context_state *shared = &machine->shared;
    (void)machine->driver->stream_set_attribute(machine->stream, ATTRIBUTE_ACCESS_WINDOW, no_window);
    if (shared->kernel == batch->kernel && shared->state == batch->state) return;
    shared->kernel = batch->kernel;
    shared->state = batch->state;
    if (batch->is_behind) return; // waits for nothing
    (void)machine->driver->ctx_reset_persisting_l2();
}
