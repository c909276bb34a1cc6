// SPDX-License-Identifier: Apache-2.0
//
// GPUs as devices: lists them, finds the one that a name means, opens and closes it, holds its clocks.
#include <ctype.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/comma.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "record/device_name.h"
#include "worker/backend/cpu/cpu_pool.h"
#include "worker/backend/cuda/cuda_device_internal.h"
#include "worker/backend/cuda/nvml.h"

#define NAME_PREFIX         "cuda"
#define DEVICES_MAX         64
#define STATE_RESOLUTION_NS 1e8 // NVML's counters of power and energy move every 20 to 100 ms
#define COOLDOWN_RATIO      2.0 // under load a third of the time: an H200 stays well below its power limit

static const char without_device_kernels[] =
    "this assay was built without nvcc, so it has no device kernels to run on a GPU; build it again where "
    "the CUDA toolkit is";

// ---- names ----

void cuda_uuid_format(const cuda_uuid *uuid, char ret_text[CUDA_UUID_TEXT_BYTES]) {
    static const size_t group_ends[] = {4, 6, 8, 10, 16};
    size_t length = (size_t)snprintf(ret_text, CUDA_UUID_TEXT_BYTES, "%s", CUDA_UUID_PREFIX);
    for (size_t group = 0, i = 0; group < sizeof group_ends / sizeof *group_ends; ++group) {
        if (group) ret_text[length++] = '-';
        for (; i < group_ends[group]; ++i, length += 2)
            snprintf(ret_text + length, CUDA_UUID_TEXT_BYTES - length, "%02x", uuid->bytes[i]);
    }
}

static int get_uuid(const struct cuda_driver *driver, cuda_device_ordinal ordinal,
                    char ret_text[CUDA_UUID_TEXT_BYTES], struct err *err) {
    cuda_uuid uuid = {{0}};
    cuda_result code = driver->device_get_uuid(&uuid, ordinal);
    if (code) return cuda_fail(driver, code, err, "device cuda:%d does not say its UUID", ordinal);
    cuda_uuid_format(&uuid, ret_text);
    return 0;
}

static int count_devices(const struct cuda_driver *driver, int *ret, struct err *err) {
    cuda_result code = driver->device_get_count(ret);
    if (code == 0 && *ret <= 0) code = CUDA_ERROR_NO_DEVICE_CODE;
    return code ? cuda_fail(driver, code, err, "the NVIDIA driver is here, but finds no GPU") : 0;
}

static int get_ordinal(const struct cuda_driver *driver, int index, cuda_device_ordinal *ret,
                       struct err *err) {
    cuda_result code = driver->device_get(ret, index);
    return code ? cuda_fail(driver, code, err, "device cuda:%d cannot be had", index) : 0;
}

static int find_by_uuid(const struct cuda_driver *driver, const char *wanted, int count, int *ret_index,
                        struct err *err) {
    struct strbuf seen = {0};
    int matches = 0, code = 0;
    for (int i = 0; i < count && code == 0; ++i) {
        char uuid[CUDA_UUID_TEXT_BYTES];
        cuda_device_ordinal ordinal = 0;
        code = get_ordinal(driver, i, &ordinal, err);
        if (code == 0) code = get_uuid(driver, ordinal, uuid, err);
        if (code < 0) break;
        comma_add(&seen, uuid);
        if (strncasecmp(uuid, wanted, strlen(wanted)) != 0) continue;
        *ret_index = i;
        ++matches;
    }
    if (code == 0 && matches == 0)
        code = err_set(err, ERR_UNAVAILABLE, "no GPU has a UUID that begins with '%s'; there is %s", wanted,
                       strbuf_text(&seen));
    if (code == 0 && matches > 1)
        code = err_set(err, ERR_USAGE, "%d GPUs have a UUID that begins with '%s': %s; give more of it",
                       matches, wanted, strbuf_text(&seen));
    strbuf_fini(&seen);
    return code;
}

int cuda_find_device(const struct cuda_driver *driver, const char *name, cuda_device_ordinal *ret,
                     int *ret_index, struct err *err) {
    const char *which = "";
    int count = 0;
    if (!device_name_is_of(name, NAME_PREFIX, CUDA_UUID_PREFIX, &which)) which = name;
    TRY(count_devices(driver, &count, err));
    if (device_name_is_uuid(which, CUDA_UUID_PREFIX)) {
        TRY(find_by_uuid(driver, which, count, ret_index, err));
        return get_ordinal(driver, *ret_index, ret, err);
    }
    unsigned long long index = 0;
    if (*which && (!isdigit((unsigned char)*which) || str_parse_u64(which, &index) < 0))
        return err_set(err, ERR_USAGE, "not the name of a GPU: say cuda, cuda:0, or a UUID (GPU-...)");
    if (index >= (unsigned long long)count)
        return err_set(err, ERR_UNAVAILABLE, "there is no such GPU, only %s%d",
                       count > 1 ? "cuda:0 to cuda:" : "cuda:", count - 1);
    *ret_index = (int)index;
    return get_ordinal(driver, *ret_index, ret, err);
}

// ---- what a device is ----

// An attribute that the driver does not know stays 0, "unknown".
static uint64_t attribute(const struct cuda_driver *driver, int which, cuda_device_ordinal ordinal) {
    int value = 0;
    return driver->device_get_attribute(&value, which, ordinal) == 0 && value > 0 ? (uint64_t)value : 0;
}

static int describe(const struct cuda_driver *driver, cuda_device_ordinal ordinal, int index,
                    struct device_info *ret, struct err *err) {
    memset(ret, 0, sizeof *ret);
    snprintf(ret->device, sizeof ret->device, "cuda:%d", index);
    cuda_result code = driver->device_get_name(ret->name, (int)sizeof ret->name, ordinal);
    if (code) return cuda_fail(driver, code, err, "device cuda:%d does not say its name", index);
    char uuid[CUDA_UUID_TEXT_BYTES];
    TRY(get_uuid(driver, ordinal, uuid, err));
    snprintf(ret->uuid, sizeof ret->uuid, "%s", uuid);
    snprintf(ret->isa, sizeof ret->isa, "sm_%llu%llu",
             (unsigned long long)attribute(driver, CUDA_ATTRIBUTE_CAPABILITY_MAJOR, ordinal),
             (unsigned long long)attribute(driver, CUDA_ATTRIBUTE_CAPABILITY_MINOR, ordinal));
    snprintf(ret->driver, sizeof ret->driver, "CUDA %d.%d", driver->version / 1000,
             driver->version % 1000 / 10);
    size_t bytes = 0;
    if (driver->device_total_mem(&bytes, ordinal) == 0) ret->memory_bytes = bytes;
    ret->l2_bytes = ret->llc_bytes = attribute(driver, CUDA_ATTRIBUTE_L2_BYTES, ordinal);
    return 0;
}

// An entry that gives the reason, without a name to open the device by.
static size_t list_missing(struct device_info *ret, const char *why) {
    memset(ret, 0, sizeof *ret);
    snprintf(ret->detail, sizeof ret->detail, "%.*s", (int)sizeof ret->detail - 1, why);
    return 1;
}

static size_t cuda_list(struct device_info *ret, size_t capacity) {
    const struct cuda_driver *driver = NULL;
    struct err err = {0};
    int count = 0;
    if (!capacity) return 0;
    if (cuda_driver_get(&driver, &err) < 0 || count_devices(driver, &count, &err) < 0)
        return list_missing(ret, err.text);
    size_t stored = 0;
    for (int i = 0; i < count && i < DEVICES_MAX && stored < capacity; ++i, ++stored) {
        cuda_device_ordinal ordinal = 0;
        struct device_info *info = &ret[stored];
        if (get_ordinal(driver, i, &ordinal, &err) < 0 || describe(driver, ordinal, i, info, &err) < 0) {
            list_missing(info, err.text);
            continue;
        }
        // NVML adds the driver's own version and the facts about the GPU, or the reason why they are unknown.
        struct cuda_device *probe = mem_alloc(sizeof *probe);
        probe->device.info = *info;
        probe->sm_count = (uint32_t)attribute(driver, CUDA_ATTRIBUTE_SM_COUNT, ordinal);
        cuda_state_open(probe);
        cuda_state_close(probe);
        *info = probe->device.info;
        free(probe);
        if (cuda_device_kernels_are_there(driver)) continue;
        char name[sizeof info->name];
        snprintf(name, sizeof name, "%s", info->name);
        list_missing(info, without_device_kernels);
        snprintf(info->name, sizeof info->name, "%s", name);
    }
    return stored;
}

static int cuda_find(const char *device, struct device_info *ret, struct err *err) {
    const struct cuda_driver *driver = NULL;
    cuda_device_ordinal ordinal = 0;
    int index = 0;
    int code = cuda_driver_get(&driver, err);
    if (code == 0) code = cuda_find_device(driver, device, &ordinal, &index, err);
    if (code == 0) code = describe(driver, ordinal, index, ret, err);
    return code < 0 ? err_prefix(err, "device '%s'", device) : 0;
}

// ---- opening ----

static int open_parts(struct cuda_device *cuda, const struct device_request *request, int index,
                      struct err *err) {
    struct device *device = &cuda->device;
    TRY(describe(cuda->driver, cuda->ordinal, index, &device->info, err));
    cuda->sm_count = (uint32_t)attribute(cuda->driver, CUDA_ATTRIBUTE_SM_COUNT, cuda->ordinal);
    cuda->threads_per_sm = (uint32_t)attribute(cuda->driver, CUDA_ATTRIBUTE_THREADS_PER_SM, cuda->ordinal);
    if (!cuda->sm_count)
        return err_set(err, ERR_UNAVAILABLE, "device %s does not say how many multiprocessors it has",
                       device->info.device);
    if (cuda->is_for_fills) {
        TRY(cuda_context_open(cuda, err));
        TRY(cuda_device_kernels_open(cuda, err));
        return cuda_memory_open(cuda, err);
    }
    if (!cuda->is_host)
        cuda_state_open(cuda); // lists the processes of the device before this one is among them
    TRY(cuda_context_open(cuda, err));
    cuda_state_find_own_process(cuda);
    // The pool pins this thread. The driver starts threads of its own at any time, and they inherit our mask:
    // pinned, all of them would share one processor with us.
    cpu_set_t mask;
    const bool has_mask = sched_getaffinity(0, sizeof mask, &mask) == 0;
    TRY(cpu_pool_open(request->thread_count, true, &cuda->pool, err));
    if (has_mask) sched_setaffinity(0, sizeof mask, &mask);
    device->stream = cuda->stream;
    device->host_stream = cpu_pool_stream(cuda->pool);
    device->env = (struct assay_env){.struct_size = sizeof device->env,
                                     .thread_count = cpu_pool_thread_count(cuda->pool),
                                     .device_index = index,
                                     .cache_bytes = device->info.l2_bytes};
    device->rotate_bytes = device->info.l2_bytes;
    device->state_resolution_ns = STATE_RESOLUTION_NS;
    device->wants_whole_rotations = true;
    device->cooldown_ratio = COOLDOWN_RATIO;
    TRY(cuda_device_kernels_open(cuda, err));
    cuda->vmm_step_bytes = cuda_vmm_step_bytes(cuda);
    TRY(cuda_memory_open(cuda, err));
    TRY(cuda_clocks_open(cuda, err));
    cuda_cache_open(cuda);
    TRY(cuda_graphs_open(cuda, err));
    return cuda_timer_measure(cuda, err);
}

// Works on a lost context and on a device that is half open: every call may fail then, and its result is
// ignored.
static void cuda_close(struct device *device) {
    if (!device) return;
    struct cuda_device *cuda = cuda_device_of(device);
    const struct cuda_driver *driver = cuda->driver;
    if (cuda->context) (void)driver->ctx_set_current(cuda->context);
    cuda_graphs_close(cuda);
    cuda_cache_close(cuda);
    cuda_clocks_close(cuda);
    cuda_others_close(cuda);
    cuda_state_close(cuda);
    cuda_memory_close(cuda);
    cuda_device_kernels_close(cuda);
    cpu_pool_close(cuda->pool);
    if (cuda->stream) (void)driver->stream_destroy(cuda->stream);
    if (cuda->context) {
        (void)driver->ctx_set_current(NULL);
        (void)driver->primary_ctx_release(cuda->ordinal);
    }
    free(cuda);
}

static int cuda_open(const struct device_request *request, struct device **ret, struct err *err) {
    const struct cuda_driver *driver = NULL;
    cuda_device_ordinal ordinal = 0;
    int index = 0;
    int code = cuda_driver_get(&driver, err);
    if (code == 0) code = cuda_find_device(driver, request->device, &ordinal, &index, err);
    if (code == 0 && !cuda_device_kernels_are_there(driver))
        code = err_set(err, ERR_UNAVAILABLE, "%s", without_device_kernels);
    if (code < 0) return err_prefix(err, "device '%s'", request->device);
    struct cuda_device *cuda = mem_alloc(sizeof *cuda);
    cuda->device.backend = &backend_cuda;
    cuda->driver = driver;
    cuda->ordinal = ordinal;
    cuda->is_host = request->is_host;
    cuda->is_for_fills = request->is_for_fills;
    code = open_parts(cuda, request, index, err);
    if (code < 0) {
        cuda_close(&cuda->device);
        return err_prefix(err, "device '%s'", request->device);
    }
    *ret = &cuda->device;
    return 0;
}

static void cuda_forget_kernel(struct device *device) {
    cuda_graphs_forget(cuda_device_of(device));
}

// ---- locking the clocks through NVML, without a context ----

struct clock_hold {
    struct nvml_device *device;
};

static int cuda_hold_clock(const char *device, const struct clock_request *wanted, struct clock_hold **ret,
                           uint32_t *ret_mhz, struct err *err) {
    struct device_info info;
    struct nvml_device *found = NULL;
    TRY(cuda_find(device, &info, err));
    TRY(nvml_device_open(info.uuid, &found, err)); // CUDA and NVML number devices differently
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

static int cuda_release_clock(struct clock_hold *hold, struct err *err) {
    const int code = nvml_unlock_clocks(hold->device, err);
    nvml_device_close(hold->device);
    free(hold);
    return code;
}

const struct backend backend_cuda = {
    .name = NAME_PREFIX,
    .uuid_prefix = CUDA_UUID_PREFIX,
    .is_accelerator = true,
    .list = cuda_list,
    .find = cuda_find,
    .open = cuda_open,
    .close = cuda_close,
    .buffer_alloc = cuda_buffer_alloc,
    .buffer_free = cuda_buffer_free,
    .share_begin = cuda_share_begin,
    .buffer_import = cuda_buffer_import,
    .buffer_upload = cuda_buffer_upload,
    .buffer_download = cuda_buffer_download,
    .buffer_is_violated = cuda_buffer_is_violated,
    .run = cuda_run,
    .count = cuda_count,
    .wait_for_others = cuda_wait_for_others,
    .next_blocking_ns = cuda_next_blocking_ns,
    .restore_shared = cuda_context_state_restore,
    .forget_kernel = cuda_forget_kernel,
    .flush_cache = cuda_flush_cache,
    .work = &cuda_work,
    .read_clock_probe_hz = cuda_read_clock_probe_hz,
    .read_tail_ns = cuda_read_tail_ns,
    .read_state = cuda_read_state,
    .adopt_hosts = cuda_adopt_hosts,
    .window_begin = cuda_window_begin,
    .window_end = cuda_window_end,
    .measure_ceilings = cuda_measure_ceilings,
    .hold_clock = cuda_hold_clock,
    .release_clock = cuda_release_clock,
};
