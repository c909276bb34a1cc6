// SPDX-License-Identifier: Apache-2.0
//
// A GPU's clocks held at one value (struct backend: hold_clock, release_clock). No context is taken for it:
// NVML holds them, for the device that CUDA's name means.
#include <stdlib.h>

#include "base/mem.h"
#include "worker/backend/cuda/cuda.h"
#include "worker/backend/cuda/cuda_internal.h"
#include "worker/backend/cuda/nvml.h"

struct clock_hold {
    struct nvml_device *device;
};

int cuda_hold_clock(const char *device, const struct clock_request *wanted, struct clock_hold **ret,
                    uint32_t *ret_mhz, struct err *err) {
    struct device_info info;
    struct nvml_device *found = NULL;
    TRY(cuda_find(device, &info, err));
    TRY(nvml_device_open(info.uuid, &found, err)); // CUDA's number of a device is not NVML's
    int code = nvml_find_clock(found, wanted, ret_mhz, err);
    if (code == 0) code = nvml_lock_clocks(found, *ret_mhz, err);
    if (code < 0) {
        nvml_device_close(found);
        return code;
    }
    *ret = mem_alloc(sizeof **ret);
    (*ret)->device = found;
    return 0;
}

int cuda_release_clock(struct clock_hold *hold, struct err *err) {
    const int code = nvml_unlock_clocks(hold->device, err);
    nvml_device_close(hold->device);
    free(hold);
    return code;
}
