// SPDX-License-Identifier: Apache-2.0
//
// The state of a GPU, from NVML. A measurement is disturbed by a slowdown or by another process on the
// device, which are read at both ends of a window (worker/order/work_window.c). Load on the host's processors
// does not matter, because launches are queued ahead: a window has no capacity here, only the energy that the
// device has used.
#include <stdio.h>
#include <string.h>

#include "worker/backend/cuda/cuda_device_internal.h"
#include "worker/backend/cuda/nvml.h"

static void add_detail(struct device_info *info, const char *text) {
    const size_t length = strlen(info->detail);
    snprintf(info->detail + length, sizeof info->detail - length, "%s%s", length ? "; " : "", text);
}

void cuda_state_open(struct cuda_device *cuda) {
    struct device_info *info = &cuda->device.info;
    struct err err = {0};
    info->gpu.sm_count = cuda->sm_count;
    if (nvml_device_open(info->uuid, &cuda->nvml, &err) < 0) {
        cuda->nvml = NULL;
        add_detail(info, err.text);
        return;
    }
    nvml_list_before(cuda->nvml);
    nvml_read_facts(cuda->nvml, &info->gpu);
    // NVML knows the version of the driver, CUDA only that of its API.
    char version[64], both[sizeof version + sizeof info->driver + 2];
    nvml_driver_version(cuda->nvml->nvml, version, sizeof version);
    if (*version && !strstr(info->driver, version)) {
        snprintf(both, sizeof both, "%s%s%s", version, *info->driver ? ", " : "", info->driver);
        snprintf(info->driver, sizeof info->driver, "%.*s", (int)sizeof info->driver - 1, both);
    }
    if (cuda->nvml->mig)
        add_detail(info,
                   "this is a part of a divided GPU (MIG): temperature, clocks and power are those of the "
                   "whole GPU, and energy is not counted");
}

void cuda_state_find_own_process(struct cuda_device *cuda) {
    if (!cuda->nvml) return;
    nvml_list_after(cuda->nvml);
    if (!cuda->nvml->presence.is_blind) return;
    snprintf(cuda->device.state_doubt, sizeof cuda->device.state_doubt,
             "the driver lists no process on %s although this one uses it: other programs there are not seen",
             cuda->device.info.device);
}

void cuda_adopt_hosts(struct device *device, const int *pids, uint32_t count) {
    const struct cuda_device *cuda = cuda_device_of(device);
    if (cuda->nvml) nvml_adopt(cuda->nvml, pids, count);
}

void cuda_state_close(struct cuda_device *cuda) {
    nvml_device_close(cuda->nvml);
    cuda->nvml = NULL;
}

void cuda_read_state(struct device *device, struct device_state *ret) {
    const struct cuda_device *cuda = cuda_device_of(device);
    if (cuda->nvml)
        nvml_read_state(cuda->nvml, ret);
    else
        *ret = device_state_unknown();
}

static uint64_t energy_mj(struct device *device) {
    const struct cuda_device *cuda = cuda_device_of(device);
    const bool is_ours = cuda->nvml && !cuda->nvml->mig; // else it is that of the whole GPU
    return is_ours ? nvml_read_energy_mj(cuda->nvml) : 0;
}

void cuda_window_begin(struct device *device, struct state_window *window) {
    memset(window, 0, sizeof *window);
    window->begin_energy_mj = energy_mj(device);
    window->begin_ns = device_now_ns(device);
}

void cuda_window_end(struct device *device, struct state_window *window) {
    window->duration_ns = device_now_ns(device) - window->begin_ns;
    const uint64_t now_mj = energy_mj(device);
    if (window->begin_energy_mj && now_mj > window->begin_energy_mj)
        window->energy_mj = now_mj - window->begin_energy_mj;
}
