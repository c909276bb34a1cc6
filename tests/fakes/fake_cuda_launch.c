// SPDX-License-Identifier: Apache-2.0
//
// The fake driver: modules and launches. It knows only assay's device kernels, by name (device_host.h); a
// kernel under test is a host function (cuLaunchHostFunc).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "device/device_kernel_args.h"
#include "device/kernel_launch.h"
#include "device_host.h"
#include "fake_cuda.h"

#define FUNCTIONS_MAX  64
#define NAME_BYTES     64
#define ENTRY_PREFIX   "assay_"
#define CEILING_PREFIX "assay_ceiling_"
#define VERSION_SYMBOL "assay_device_kernels_version"

struct cuda_function_opaque {
    char name[NAME_BYTES];
};

struct cuda_module_opaque {
    cuda_address version; // of the device kernels, in "device memory"
    size_t count;
    struct cuda_function_opaque functions[FUNCTIONS_MAX];
};

FAKE_EXPORT cuda_result cuMemAlloc_v2(cuda_address *ret, size_t bytes);
FAKE_EXPORT cuda_result cuMemFree_v2(cuda_address address);

FAKE_EXPORT cuda_result cuModuleLoadData(cuda_module *ret, const void *image) {
    FAKE_ENTER(module_load_data);
    if (!image || !fake_current()) return FAKE_INVALID_VALUE;
    cuda_module module = calloc(1, sizeof *module);
    if (!module) return CUDA_ERROR_OUT_OF_MEMORY_CODE;
    cuda_result code = cuMemAlloc_v2(&module->version, sizeof(uint32_t));
    if (code) {
        free(module);
        return code;
    }
    *(uint32_t *)(uintptr_t)module->version = DEV_VERSION;
    *ret = module;
    return 0;
}

FAKE_EXPORT cuda_result cuModuleUnload(cuda_module module) {
    (void)cuMemFree_v2(module->version);
    free(module);
    return fake_enter("module_unload");
}

FAKE_EXPORT cuda_result cuModuleGetFunction(cuda_function *ret, cuda_module module, const char *name) {
    FAKE_ENTER(module_get_function);
    if (strncmp(name, ENTRY_PREFIX, strlen(ENTRY_PREFIX)) != 0) return FAKE_NOT_FOUND;
    if (module->count == FUNCTIONS_MAX) return CUDA_ERROR_OUT_OF_MEMORY_CODE;
    *ret = &module->functions[module->count++];
    snprintf((*ret)->name, sizeof(*ret)->name, "%s", name);
    return 0;
}

FAKE_EXPORT cuda_result cuModuleGetGlobal_v2(cuda_address *ret, size_t *ret_bytes, cuda_module module,
                                             const char *name) {
    FAKE_ENTER(module_get_global);
    if (strcmp(name, VERSION_SYMBOL) != 0) return FAKE_NOT_FOUND;
    *ret = module->version;
    *ret_bytes = sizeof(uint32_t);
    return 0;
}

// ---- launches ----

struct launch {
    char entry[NAME_BYTES];
    uint32_t grid[3], block;
    unsigned char args[DEVICE_ARGS_BYTES];
};

// The time that device kernels see: real time plus the duration of every spin, which does not wait.
static void move_time(void) {
    static uint64_t last_ns;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    const uint64_t now_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    if (last_ns) dev_host_now_ns += now_ns - last_ns;
    last_ns = now_ns;
}

static uint64_t real_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void wait_until(uint64_t end_ns) {
    while (real_ns() < end_ns) continue;
}

static void run_launch(void *arg) {
    const struct launch *launch = arg;
    move_time();
    if (fake_script()->spins_wait && strcmp(launch->entry, "assay_spin") == 0) {
        struct dev_spin spin;
        memcpy(&spin, launch->args, sizeof spin);
        wait_until(real_ns() + spin.duration_ns);
    }
    const uint64_t begin_ns = dev_host_now_ns;
    if (dev_run_on_host(launch->entry, launch->grid, launch->block, launch->args) == 0) {
        if (strncmp(launch->entry, CEILING_PREFIX, strlen(CEILING_PREFIX)) == 0)
            fake_cuda_spend(dev_host_now_ns - begin_ns); // events see it too
        return;
    }
    fprintf(stderr, "fake CUDA: no device kernel '%s' on the processor\n", launch->entry);
    abort();
}

// The order of parameters is NVIDIA's.
#define LAUNCH_PARAMETERS                                                                                    \
    cuda_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,             \
        unsigned block_y, unsigned block_z, unsigned shared_bytes, cuda_stream stream, void **params,        \
        void **extra

// The one parameter of a device kernel is read up to the size of kernel_launch.args, which the caller has
// to provide.
FAKE_EXPORT cuda_result cuLaunchKernel(LAUNCH_PARAMETERS) {
    FAKE_ENTER(launch_kernel);
    const uint64_t threads = (uint64_t)block_x * block_y * block_z;
    if (!function || !params || extra) return FAKE_INVALID_VALUE;
    if (!grid_x || !grid_y || !grid_z || !threads || threads > 1024 || shared_bytes > 48 * 1024)
        return FAKE_INVALID_VALUE;
    struct launch launch = {.grid = {grid_x, grid_y, grid_z}, .block = (uint32_t)threads};
    memcpy(launch.entry, function->name, sizeof launch.entry);
    memcpy(launch.args, params[0], sizeof launch.args);
    return fake_enqueue(stream, run_launch, &launch, sizeof launch);
}

// For tests: bytes that flushes have walked over.
FAKE_EXPORT uint64_t fake_cuda_flushed_bytes(void);
FAKE_EXPORT uint64_t fake_cuda_flushed_bytes(void) {
    return dev_host_flushed_bytes;
}

struct host_call {
    void (*function)(void *arg);
    void *arg;
};

static void run_host_call(void *arg) {
    const struct host_call *call = arg;
    const uint64_t begin_ns = real_ns();
    call->function(call->arg);
    wait_until(begin_ns + fake_script()->least_ns);
    fake_pass_call();
}

FAKE_EXPORT cuda_result cuLaunchHostFunc(cuda_stream stream, void (*function)(void *arg), void *arg);
FAKE_EXPORT cuda_result cuLaunchHostFunc(cuda_stream stream, void (*function)(void *arg), void *arg) {
    FAKE_ENTER(launch_host_func);
    const struct host_call call = {function, arg};
    return fake_enqueue(stream, run_host_call, &call, sizeof call);
}
