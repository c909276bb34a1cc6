// SPDX-License-Identifier: Apache-2.0
//
// The table of device kinds: an entry for every backend.
#include "control/plan/device_kind.h"

#include <string.h>

#include "record/device_name.h"

static const struct device_kind kinds[] = {
    {.backend = "cpu",
     .is_single = true,
     .kernel_flop_per_s = 2e10,
     .oracle_flop_per_s = 2e10,
     .start_s = 0.02,
     .sample_time_ns = 1000000},
    {.backend = "cuda", // figures of an H200: a sample waits for its flush, its clocks and its events
     .uuid_prefix = "GPU-",
     .has_clock_lock = true,
     .has_targets = true,
     .is_accelerator = true,
     .kernel_flop_per_s = 2e14,
     .oracle_flop_per_s = 2e12,
     .sample_s = 0.005,
     .start_s = 0.5,
     .sample_time_ns = 2000000},
    {.backend = "sim", .suite = "sim", .takes_scripts = true, .sample_time_ns = 1000000},
};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

const struct device_kind *device_kind_at(size_t index) {
    return index < KIND_COUNT ? &kinds[index] : NULL;
}

const struct device_kind *device_kind_find(const char *backend) {
    for (size_t i = 0; i < KIND_COUNT; ++i)
        if (strcmp(kinds[i].backend, backend) == 0) return &kinds[i];
    return NULL;
}

const struct device_kind *device_kind_of(const char *device) {
    for (size_t i = 0; i < KIND_COUNT; ++i) {
        const struct device_kind *kind = &kinds[i];
        if (!device_name_is_of(device, kind->backend, kind->uuid_prefix, NULL)) continue;
        return kind->is_single && strcmp(kind->backend, device) != 0 ? NULL : kind;
    }
    return NULL;
}
