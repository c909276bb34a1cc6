// SPDX-License-Identifier: Apache-2.0
//
// The program text of our device kernels: loaded once a device, its entries found by name, launched with one
// struct each.
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "device/device_kernel_args.h"
#include "device/device_kernel_text.h"
#include "worker/backend/cuda/cuda_internal.h"

#define ENTRIES_MAX    32
#define VERSION_SYMBOL "assay_device_kernels_version"
// The driver of the tests runs device kernels on the processor, and says so by exporting this text, so that
// machines without nvcc run these tests too. NVIDIA's has no such symbol.
#define BROUGHT_SYMBOL "assay_device_kernels_brought"

struct cuda_device_kernels {
    cuda_module module;
    size_t count;
    struct {
        const char *entry;
        cuda_function function;
    } entries[ENTRIES_MAX];
};

bool cuda_device_kernels_are_built_in(void) {
    return assay_device_kernels_ptx_bytes > 0;
}

bool cuda_device_kernels_are_there(const struct cuda_driver *driver) {
    return cuda_device_kernels_are_built_in() || dlsym(driver->library, BROUGHT_SYMBOL);
}

static int load(struct cuda_device *machine, struct err *err) {
    const struct cuda_driver *driver = machine->driver;
    const char *brought = dlsym(driver->library, BROUGHT_SYMBOL);
    cuda_result code = driver->module_load_data(&machine->device_kernels->module,
                                                brought ? brought : assay_device_kernels_ptx);
    if (code)
        return cuda_fail(driver, code, err,
                         "the driver (%s) does not take assay's device kernels for %s (%s)",
                         machine->device.info.driver, machine->device.info.device, machine->device.info.isa);
    return 0;
}

static int check_version(struct cuda_device *machine, struct err *err) {
    const struct cuda_driver *driver = machine->driver;
    cuda_address address = 0;
    size_t bytes = 0;
    uint32_t version = 0;
    cuda_result code =
        driver->module_get_global(&address, &bytes, machine->device_kernels->module, VERSION_SYMBOL);
    if (code == 0 && bytes == sizeof version) {
        code = driver->memcpy_dtoh(&version, address, sizeof version, machine->stream);
        if (code == 0) code = driver->stream_synchronize(machine->stream);
    }
    if (code) return cuda_fail(driver, code, err, "assay's device kernels do not say their version");
    if (version == DEV_VERSION) return 0;
    return err_set(err, ERR_INTERNAL,
                   "the device kernels on the device are of version %u, this assay's are %u", version,
                   DEV_VERSION);
}

int cuda_device_kernels_open(struct cuda_device *machine, struct err *err) {
    if (!cuda_device_kernels_are_there(machine->driver))
        return err_set(err, ERR_UNAVAILABLE, "this assay was built without device kernels for a GPU");
    machine->device_kernels = mem_alloc(sizeof *machine->device_kernels);
    TRY(load(machine, err));
    return check_version(machine, err);
}

void cuda_device_kernels_close(struct cuda_device *machine) {
    if (!machine->device_kernels) return;
    if (machine->device_kernels->module)
        (void)machine->driver->module_unload(machine->device_kernels->module);
    free(machine->device_kernels);
    machine->device_kernels = NULL;
}

static int find_entry(struct cuda_device *machine, const char *entry, cuda_function *ret, struct err *err) {
    struct cuda_device_kernels *device_kernels = machine->device_kernels;
    for (size_t i = 0; i < device_kernels->count; ++i)
        if (strcmp(device_kernels->entries[i].entry, entry) == 0) {
            *ret = device_kernels->entries[i].function;
            return 0;
        }
    cuda_result code = machine->driver->module_get_function(ret, device_kernels->module, entry);
    if (code) {
        cuda_note_loss(machine, code);
        return cuda_fail(machine->driver, code, err, "assay's device kernel '%s' is not on the device",
                         entry);
    }
    if (device_kernels->count == ENTRIES_MAX) BUG("more than %d device kernels", ENTRIES_MAX);
    device_kernels->entries[device_kernels->count].entry = entry;
    device_kernels->entries[device_kernels->count++].function = *ret;
    return 0;
}

int cuda_program_run(struct cuda_device *machine, const struct kernel_launch *program, struct err *err) {
    TRY(cuda_enter(machine, err));
    cuda_function function = NULL;
    TRY(find_entry(machine, program->entry, &function, err));
    struct kernel_launch copy = *program; // the driver takes parameters without const, and copies them
    void *params[] = {copy.args};
    cuda_result code =
        machine->driver->launch_kernel(function, copy.grid[0], copy.grid[1], copy.grid[2], copy.block, 1, 1,
                                       copy.shared_bytes, machine->stream, params, NULL);
    if (code == 0) return 0;
    cuda_note_loss(machine, code);
    return cuda_fail(machine->driver, code, err, "assay's device kernel '%s' cannot be launched",
                     program->entry);
}
