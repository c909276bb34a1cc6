// SPDX-License-Identifier: Apache-2.0
//
// Facts, state and other users of a GPU, from NVML. A call that fails or is missing leaves its figure absent.
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "worker/backend/cuda/nvml.h"

#define PROCESSES_MAX 4096u

// NVML's bits of "clock event reasons". An idle device (bit 0) is not slowed down.
static const struct {
    unsigned long long nvml_bit;
    enum throttle bit;
} reasons[] = {
    {0x002, THROTTLE_APPLICATION_CLOCKS}, {0x004, THROTTLE_SW_POWER_CAP},   {0x008, THROTTLE_HW_SLOWDOWN},
    {0x010, THROTTLE_SYNC_BOOST},         {0x020, THROTTLE_SW_THERMAL},     {0x040, THROTTLE_HW_THERMAL},
    {0x080, THROTTLE_HW_POWER_BRAKE},     {0x100, THROTTLE_DISPLAY_CLOCKS},
};

typedef nvml_result (*read_unsigned_fn)(nvml_handle device, unsigned *ret);
typedef nvml_result (*read_clock_fn)(nvml_handle device, int type, unsigned *ret_mhz);

static double read_unsigned(read_unsigned_fn read, nvml_handle device, double unit) {
    unsigned value;
    return read && read(device, &value) == NVML_OK ? value * unit : NAN;
}

static double read_clock_hz(read_clock_fn read, nvml_handle device, int type) {
    unsigned mhz;
    return read && read(device, type, &mhz) == NVML_OK && mhz > 0 ? mhz * 1e6 : NAN;
}

// Tries the newer name of the call first.
static void read_throttle(const struct nvml_device *device, struct device_state *ret) {
    const struct nvml *nvml = device->nvml;
    unsigned long long nvml_bits = 0;
    nvml_result code = NVML_FUNCTION_NOT_FOUND;
    if (nvml->get_event_reasons) code = nvml->get_event_reasons(device->handle, &nvml_bits);
    if (code != NVML_OK && nvml->get_throttle_reasons)
        code = nvml->get_throttle_reasons(device->handle, &nvml_bits);
    if (code != NVML_OK) return;
    uint32_t bits = THROTTLE_NONE;
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; ++i)
        if (nvml_bits & reasons[i].nvml_bit) bits |= reasons[i].bit;
    throttle_format(bits, ret->throttle);
}

// ---- other processes ----

// The present list; the caller frees *ret. Negative: unknown.
static int list_processes(const struct nvml_device *device, struct nvml_process **ret) {
    const struct nvml *nvml = device->nvml;
    const nvml_handle handle = device->mig ? device->mig : device->handle;
    unsigned capacity = 64;
    while (capacity <= PROCESSES_MAX) {
        struct nvml_process *list = mem_alloc(capacity * sizeof *list);
        unsigned count = capacity;
        nvml_result code = NVML_FUNCTION_NOT_FOUND;
        if (nvml->get_processes_v3) code = nvml->get_processes_v3(handle, &count, list);
        if (code == NVML_FUNCTION_NOT_FOUND && nvml->get_processes_v2)
            code = nvml->get_processes_v2(handle, &count, list);
        if (code == NVML_OK && count <= capacity) {
            *ret = list;
            return (int)count;
        }
        free(list);
        if (code != NVML_INSUFFICIENT_SIZE) return -1;
        capacity *= 2; // the list may have grown meanwhile
    }
    return -1;
}

// This process, its group, its parent. Only valid if the numbers are those of our own PID namespace.
static bool is_kin(pid_t pid) {
    return pid == getpid() || pid == getppid() || getpgid(pid) == getpgrp();
}

static bool is_listed(const struct nvml_process *list, int count, unsigned pid) {
    for (int i = 0; i < count; ++i)
        if (list[i].pid == pid) return true;
    return false;
}

void nvml_list_before(struct nvml_device *device) {
    struct nvml_process *list = NULL;
    device->presence = (struct nvml_presence){.before_count = list_processes(device, &list)};
    if (device->presence.before_count > NVML_PRESENT_MAX) device->presence.before_count = -1;
    for (int i = 0; i < device->presence.before_count; ++i) device->presence.before[i] = list[i].pid;
    free(list);
}

// A new entry in the list is ours. Without a new entry, either a context of ours was already open (a
// library's), or the list does not show us.
void nvml_list_after(struct nvml_device *device) {
    struct nvml_presence *presence = &device->presence;
    struct nvml_process *list = NULL;
    const int count = list_processes(device, &list);
    presence->is_asked = count >= 0 && presence->before_count >= 0;
    presence->is_blind = count == 0;
    const unsigned self = (unsigned)getpid();
    int new_count = 0;
    bool is_self_new = false;
    for (int i = 0; presence->is_asked && i < count; ++i) {
        int k = 0;
        while (k < presence->before_count && presence->before[k] != list[i].pid) ++k;
        if (k < presence->before_count) continue;
        ++new_count;
        is_self_new |= list[i].pid == self;
        presence->own_pid = list[i].pid;
    }
    if (presence->is_asked) {
        if (is_self_new || !new_count) presence->own_pid = self;
        const bool is_only_one =
            is_self_new || new_count == 1 || (!new_count && is_listed(list, count, self));
        presence->is_own_known = is_only_one && presence->own_pid; // 0 stands for any
        presence->is_own_listed = presence->is_own_known || new_count > 0 || count > presence->before_count;
    }
    free(list);
}

static bool is_host(const struct nvml_presence *presence, unsigned pid) {
    for (size_t i = 0; i < NVML_HOSTS_MAX; ++i)
        if (pid && presence->host_pids[i] == pid) return true;
    return false;
}

void nvml_adopt(struct nvml_device *device, const int *pids, uint32_t pid_count) {
    struct nvml_presence *presence = &device->presence;
    struct nvml_process *list = NULL;
    const int count = list_processes(device, &list);
    if (!pid_count) {
        presence->without_count = count > NVML_PRESENT_MAX ? -1 : count;
        for (int i = 0; i < presence->without_count; ++i) presence->without[i] = list[i].pid;
        free(list);
        return;
    }
    unsigned found[NVML_PRESENT_MAX];
    uint32_t new_count = 0;
    int zero_count = 0; // new ones without a number
    for (int i = 0; i < count && presence->without_count >= 0; ++i) {
        int k = 0;
        zero_count += !list[i].pid;
        while (k < presence->without_count && presence->without[k] != list[i].pid) ++k;
        if (k < presence->without_count || !list[i].pid) continue;
        if (new_count < NVML_PRESENT_MAX) found[new_count++] = list[i].pid;
    }
    for (int k = 0; k < presence->without_count; ++k) zero_count -= !presence->without[k];
    const uint32_t new_zeros = zero_count > 0 ? (uint32_t)zero_count : 0;
    if (!new_count) presence->host_zero_count += new_zeros < pid_count ? new_zeros : pid_count;
    // More are new when another program has begun at the same time: then only our own numbers tell.
    for (uint32_t i = 0; i < pid_count; ++i)
        presence->host_pids[presence->host_count++ % NVML_HOSTS_MAX] =
            new_count == pid_count ? found[i] : (unsigned)pids[i];
    free(list);
}

// Counts others with both lists known: then we know our entry, or that we have one, or that we have none.
static int count_by_presence(const struct nvml_presence *presence, const struct nvml_process *list,
                             int count) {
    const bool has_our_numbers = presence->is_own_known && presence->own_pid == (unsigned)getpid();
    int external_count = 0;
    unsigned zero_count = presence->host_zero_count;
    for (int i = 0; i < count; ++i) {
        if (list[i].memory_bytes == 0) continue; // the process is ending, or only queries the device
        if (presence->is_own_known && list[i].pid == presence->own_pid) continue;
        if (is_host(presence, list[i].pid)) continue;
        if (!list[i].pid && zero_count && zero_count--) continue;
        external_count += !(has_our_numbers && list[i].pid && is_kin((pid_t)list[i].pid));
    }
    const bool is_one_ours = presence->is_own_listed && !presence->is_own_known && external_count > 0;
    return external_count - is_one_ours;
}

// Counts others without the two lists. We use the device, so if our own number is not listed, one of the
// numbers unknown here (of another container, or of the host) is ours.
static int count_by_sight(const struct nvml_presence *presence, const struct nvml_process *list, int count) {
    int external_count = 0, unseen_count = 0;
    const bool is_self_listed = is_listed(list, count, (unsigned)getpid());
    for (int i = 0; i < count; ++i) {
        const pid_t pid = (pid_t)list[i].pid;
        if ((pid > 0 && is_kin(pid)) || is_host(presence, list[i].pid)) continue;
        if (list[i].memory_bytes == 0) continue;
        ++external_count;
        unseen_count += pid <= 0 || (kill(pid, 0) < 0 && errno == ESRCH);
    }
    return external_count - (!is_self_listed && unseen_count > 0);
}

void nvml_read_state(const struct nvml_device *device, struct device_state *ret) {
    const struct nvml *nvml = device->nvml;
    const struct nvml_presence *presence = &device->presence;
    unsigned celsius;
    *ret = device_state_unknown();
    if (nvml->get_temperature && nvml->get_temperature(device->handle, NVML_SENSOR_GPU, &celsius) == NVML_OK)
        ret->temperature_c = celsius;
    ret->clock_hz = read_clock_hz(nvml->get_clock_now, device->handle, NVML_CLOCK_SM);
    ret->memory_clock_hz = read_clock_hz(nvml->get_clock_now, device->handle, NVML_CLOCK_MEMORY);
    ret->power_w = read_unsigned(nvml->get_power, device->handle, 1e-3);
    read_throttle(device, ret);
    struct nvml_process *list = NULL;
    const int count = list_processes(device, &list);
    if (count > 0 || (count == 0 && !presence->is_blind))
        ret->other_process_count = presence->is_asked ? count_by_presence(presence, list, count)
                                                      : count_by_sight(presence, list, count);
    free(list);
}

uint64_t nvml_read_energy_mj(const struct nvml_device *device) {
    unsigned long long mj;
    const struct nvml *nvml = device->nvml;
    return nvml->get_energy && nvml->get_energy(device->handle, &mj) == NVML_OK ? mj : 0;
}

// ---- facts ----

static double known(double value) {
    return isfinite(value) ? value : 0;
}

static enum gpu_mode mode_of(nvml_result code, bool is_on) {
    if (code != NVML_OK) return GPU_MODE_UNKNOWN;
    return is_on ? GPU_MODE_ON : GPU_MODE_OFF;
}

static void read_modes(const struct nvml_device *device, struct gpu_facts *ret) {
    const struct nvml *nvml = device->nvml;
    const nvml_handle handle = device->handle;
    int ecc = 0, ecc_pending = 0, persistence = 0;
    unsigned mig = 0, mig_pending = 0;
    nvml_result code =
        nvml->get_ecc_mode ? nvml->get_ecc_mode(handle, &ecc, &ecc_pending) : NVML_NOT_SUPPORTED;
    ret->ecc = mode_of(code, ecc != 0);
    code = nvml->get_mig_mode ? nvml->get_mig_mode(handle, &mig, &mig_pending) : NVML_NOT_SUPPORTED;
    ret->mig = mode_of(code, mig != 0);
    code = nvml->get_persistence ? nvml->get_persistence(handle, &persistence) : NVML_NOT_SUPPORTED;
    ret->persistence = mode_of(code, persistence != 0);
    unsigned long long errors = 0;
    if (ret->ecc != GPU_MODE_ON || !nvml->get_ecc_errors) return;
    ret->has_ecc_count =
        nvml->get_ecc_errors(handle, NVML_ERRORS_UNCORRECTED, NVML_COUNTER_VOLATILE, &errors) == NVML_OK;
    ret->ecc_uncorrected_count = errors;
}

void nvml_read_facts(const struct nvml_device *device, struct gpu_facts *ret) {
    const struct nvml *nvml = device->nvml;
    unsigned base_mhz, low_mw, high_mw;
    double base_hz = read_clock_hz(nvml->get_clock_default, device->handle, NVML_CLOCK_SM);
    if (!isfinite(base_hz) && nvml->get_clock &&
        nvml->get_clock(device->handle, NVML_CLOCK_SM, NVML_CLOCK_ID_DEFAULT, &base_mhz) == NVML_OK)
        base_hz = base_mhz * 1e6;
    ret->clock_base_hz = known(base_hz);
    ret->clock_max_hz = known(read_clock_hz(nvml->get_clock_max, device->handle, NVML_CLOCK_SM));
    ret->memory_clock_max_hz = known(read_clock_hz(nvml->get_clock_max, device->handle, NVML_CLOCK_MEMORY));
    ret->power_limit_w = known(read_unsigned(nvml->get_power_limit, device->handle, 1e-3));
    if (nvml->get_power_limits && nvml->get_power_limits(device->handle, &low_mw, &high_mw) == NVML_OK) {
        ret->power_limit_min_w = low_mw * 1e-3;
        ret->power_limit_max_w = high_mw * 1e-3;
    }
    struct nvml_field field = {.field = NVML_FIELD_MEMORY_TEMPERATURE};
    if (nvml->get_fields && nvml->get_fields(device->handle, 1, &field) == NVML_OK && field.result == NVML_OK)
        ret->memory_temperature_c = field.value.as_unsigned;
    read_modes(device, ret);
}
