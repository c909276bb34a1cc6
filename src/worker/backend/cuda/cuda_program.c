// SPDX-License-Identifier: Apache-2.0
//
// Assay's own device kernels on one device: the module is loaded once, kernels are found by name and launched
// with one struct of arguments.
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "device/device_kernel_args.h"
#include "device/device_kernel_text.h"
#include "worker/backend/cuda/cuda_device_internal.h"

#define ENTRIES_MAX    32
#define VERSION_SYMBOL "assay_device_kernels_version"
// The fake driver of the tests runs device kernels on the CPU and exports this symbol to say so, so that
// machines without nvcc run these tests too. NVIDIA's driver has no such symbol.
#define BROUGHT_SYMBOL "assay_device_kernels_brought"

struct cuda_device_kernels {
    cuda_module module;
    size_t count;
    struct {
        const char *name;
        cuda_function function;
    } entries[ENTRIES_MAX]; // entries launched so far
};

const char *cuda_kernel_image(const struct cuda_driver *driver, const char *built) {
    const char *brought = dlsym(driver->library, BROUGHT_SYMBOL);
    return brought ? brought : built;
}

bool cuda_device_kernels_are_there(const struct cuda_driver *driver) {
    return *cuda_kernel_image(driver, assay_device_kernels_ptx);
}

int cuda_device_kernels_open(struct cuda_device *cuda, struct err *err) {
    const struct cuda_driver *driver = cuda->driver;
    if (!cuda_device_kernels_are_there(driver))
        return err_set(err, ERR_UNAVAILABLE, "this assay was built without device kernels for a GPU");
    struct cuda_device_kernels *kernels = cuda->device_kernels = mem_alloc(sizeof *kernels);
    const char *text = cuda->is_for_fills ? assay_device_kernels_for_fills_ptx
                       : cuda->is_host    ? assay_device_kernels_for_hosts_ptx
                                          : assay_device_kernels_ptx;
    cuda_result code = driver->module_load_data(&kernels->module, cuda_kernel_image(driver, text));
    if (code)
        return cuda_fail(driver, code, err, "the driver (%s) rejects assay's device kernels for %s (%s)",
                         cuda->device.info.driver, cuda->device.info.device, cuda->device.info.isa);
    cuda_address address = 0;
    size_t bytes = 0;
    uint32_t version = 0;
    code = driver->module_get_global(&address, &bytes, kernels->module, VERSION_SYMBOL);
    if (code == 0 && bytes == sizeof version) {
        code = driver->memcpy_dtoh(&version, address, sizeof version, cuda->stream);
        if (code == 0) code = driver->stream_synchronize(cuda->stream);
    }
    if (code) return cuda_fail(driver, code, err, "assay's device kernels do not say their version");
    if (version == DEV_VERSION) return 0;
    return err_set(err, ERR_INTERNAL,
                   "the device kernels on the device are of version %u, this assay's are %u", version,
                   DEV_VERSION);
}

void cuda_device_kernels_close(struct cuda_device *cuda) {
    if (!cuda->device_kernels) return;
    if (cuda->device_kernels->module) (void)cuda->driver->module_unload(cuda->device_kernels->module);
    free(cuda->device_kernels);
    cuda->device_kernels = NULL;
}

int cuda_function_run(struct cuda_device *cuda, cuda_function function, const struct kernel_launch *program,
                      struct err *err) {
    struct kernel_launch copy = *program; // the driver takes parameters without const, and copies them
    void *params[] = {copy.args};
    const cuda_result code =
        cuda->driver->launch_kernel(function, copy.grid[0], copy.grid[1], copy.grid[2], copy.block, 1, 1,
                                    copy.shared_bytes, cuda->stream, params, NULL);
    return code ? cuda_call_fail(cuda, code, err, "assay's device kernel '%s' cannot be launched",
                                 program->entry)
                : 0;
}

int cuda_program_run(struct cuda_device *cuda, const struct kernel_launch *program, struct err *err) {
    TRY(cuda_enter(cuda, err));
    struct cuda_device_kernels *kernels = cuda->device_kernels;
    size_t at = 0;
    while (at < kernels->count && strcmp(kernels->entries[at].name, program->entry) != 0) ++at;
    if (at == kernels->count) {
        if (at == ENTRIES_MAX) BUG("more than %d device kernels", ENTRIES_MAX);
        const cuda_result code = cuda->driver->module_get_function(&kernels->entries[at].function,
                                                                   kernels->module, program->entry);
        if (code)
            return cuda_call_fail(cuda, code, err, "assay's device kernel '%s' is not on the device",
                                  program->entry);
        kernels->entries[at].name = program->entry;
        ++kernels->count;
    }
    return cuda_function_run(cuda, kernels->entries[at].function, program, err);
}
