// SPDX-License-Identifier: Apache-2.0
//
// The state of a GPU, from NVML. What disturbs a measurement there is a slowdown or another process on the
// device, seen at both ends of a window (worker/order/work_window.c); other programs on the host's processors
// are not: launches are queued ahead, so a window has no capacity to be judged by. What a window adds is the
// energy that the device's counter counted.
#include <stdio.h>
#include <string.h>

#include "worker/backend/cuda/cuda_internal.h"
#include "worker/backend/cuda/nvml.h"

// Appended to what is said already.
static void add_detail(struct device_info *info, const char *text) {
    const size_t length = strlen(info->detail);
    snprintf(info->detail + length, sizeof info->detail - length, "%s%s", length ? "; " : "", text);
}

// The management library knows the driver's own version, CUDA only its interface's.
static void add_driver(struct device_info *info, const struct nvml *nvml) {
    char version[64], both[sizeof version + sizeof info->driver + 2];
    nvml_driver_version(nvml, version, sizeof version);
    if (!*version || strstr(info->driver, version)) return;
    snprintf(both, sizeof both, "%s%s%s", version, *info->driver ? ", " : "", info->driver);
    snprintf(info->driver, sizeof info->driver, "%.*s", (int)sizeof info->driver - 1, both);
}

void cuda_state_open(struct cuda_device *machine) {
    struct device_info *info = &machine->device.info;
    struct err err = {0};
    info->gpu.sm_count = machine->sm_count;
    if (nvml_device_open(info->uuid, &machine->nvml, &err) < 0) {
        machine->nvml = NULL;
        add_detail(info, err.text);
        return;
    }
    nvml_note_before(machine->nvml);
    nvml_read_facts(machine->nvml, &info->gpu);
    add_driver(info, machine->nvml->nvml);
    if (machine->nvml->mig)
        add_detail(
            info, "this is a part of a divided GPU (MIG): temperature, clocks, power and energy are those of "
                  "the whole GPU");
}

void cuda_state_note_context(struct cuda_device *machine) {
    if (!machine->nvml) return;
    nvml_note_after(machine->nvml);
    if (!machine->nvml->presence.is_blind) return;
    snprintf(machine->device.state_doubt, sizeof machine->device.state_doubt,
             "the driver lists no process on %s although this one uses it: other programs there are not seen",
             machine->device.info.device);
}

void cuda_state_close(struct cuda_device *machine) {
    nvml_device_close(machine->nvml);
    machine->nvml = NULL;
}

void cuda_read_state(struct device *device, struct device_state *ret) {
    const struct cuda_device *machine = cuda_device_of(device);
    if (machine->nvml)
        nvml_read_state(machine->nvml, ret);
    else
        *ret = device_state_unknown();
}

static uint64_t energy_mj(struct device *device) {
    const struct cuda_device *machine = cuda_device_of(device);
    return machine->nvml ? nvml_read_energy_mj(machine->nvml) : 0;
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
