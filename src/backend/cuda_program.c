// SPDX-License-Identifier: Apache-2.0
//
// The program text of our helpers: loaded once a device, its entries found by name, launched with one struct each.
#include "backend/cuda_machine.h"
#include "base/mem.h"
#include "device/helper_args.h"
#include "device/helper_text.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define ENTRIES_MAX    32
#define VERSION_SYMBOL "assay_helpers_version"
// The driver of the tests runs helpers on the processor, and says so by exporting this text, so that machines without nvcc
// run these tests too. NVIDIA's has no such symbol.
#define BROUGHT_SYMBOL "assay_helpers_brought"

struct cuda_helpers {
    cuda_module module;
    size_t count;
    struct {
        const char *entry;
        cuda_function function;
    } entries[ENTRIES_MAX];
};

bool cuda_helpers_are_built_in(void) {
    return assay_helpers_ptx_bytes > 0;
}

bool cuda_helpers_are_there(const struct cuda_driver *driver) {
    return cuda_helpers_are_built_in() || dlsym(driver->library, BROUGHT_SYMBOL);
}

static int load(struct cuda_machine *machine, struct err *err) {
    const struct cuda_driver *driver = machine->driver;
    const char *brought = dlsym(driver->library, BROUGHT_SYMBOL);
    cuda_result code =
        driver->module_load_data(&machine->helpers->module, brought ? brought : assay_helpers_ptx);
    if (code)
        return cuda_fail(driver, code, err, "the driver (%s) does not take assay's helpers for %s (%s)",
                         machine->device.info.driver, machine->device.info.device, machine->device.info.isa);
    return 0;
}

static int check_version(struct cuda_machine *machine, struct err *err) {
    const struct cuda_driver *driver = machine->driver;
    cuda_address address = 0;
    size_t bytes = 0;
    uint32_t version = 0;
    cuda_result code = driver->module_get_global(&address, &bytes, machine->helpers->module, VERSION_SYMBOL);
    if (code == 0 && bytes == sizeof version) {
        code = driver->memcpy_dtoh(&version, address, sizeof version, machine->stream);
        if (code == 0) code = driver->stream_synchronize(machine->stream);
    }
    if (code) return cuda_fail(driver, code, err, "assay's helpers do not say their version");
    if (version == HELPER_VERSION) return 0;
    return err_set(err, ERR_INTERNAL, "the helpers on the device are of version %u, this assay's are %u",
                   version, HELPER_VERSION);
}

int cuda_helpers_open(struct cuda_machine *machine, struct err *err) {
    if (!cuda_helpers_are_there(machine->driver))
        return err_set(err, ERR_UNAVAILABLE, "this assay was built without helpers for a GPU");
    machine->helpers = mem_alloc(sizeof *machine->helpers);
    TRY(load(machine, err));
    return check_version(machine, err);
}

void cuda_helpers_close(struct cuda_machine *machine) {
    if (!machine->helpers) return;
    if (machine->helpers->module) (void)machine->driver->module_unload(machine->helpers->module);
    free(machine->helpers);
    machine->helpers = NULL;
}

static int find_entry(struct cuda_machine *machine, const char *entry, cuda_function *ret, struct err *err) {
    struct cuda_helpers *helpers = machine->helpers;
    for (size_t i = 0; i < helpers->count; ++i)
        if (strcmp(helpers->entries[i].entry, entry) == 0) {
            *ret = helpers->entries[i].function;
            return 0;
        }
    cuda_result code = machine->driver->module_get_function(ret, helpers->module, entry);
    if (code) {
        cuda_note_loss(machine, code);
        return cuda_fail(machine->driver, code, err, "assay's helper '%s' is not on the device", entry);
    }
    if (helpers->count == ENTRIES_MAX) BUG("more than %d helpers", ENTRIES_MAX);
    helpers->entries[helpers->count].entry = entry;
    helpers->entries[helpers->count++].function = *ret;
    return 0;
}

int cuda_program_run(struct cuda_machine *machine, const struct device_program *program, struct err *err) {
    TRY(cuda_enter(machine, err));
    cuda_function function = NULL;
    TRY(find_entry(machine, program->entry, &function, err));
    struct device_program copy = *program; // the driver takes parameters without const, and copies them
    void *params[] = {copy.args};
    cuda_result code =
        machine->driver->launch_kernel(function, copy.grid[0], copy.grid[1], copy.grid[2], copy.block, 1, 1,
                                       copy.shared_bytes, machine->stream, params, NULL);
    if (code == 0) return 0;
    cuda_note_loss(machine, code);
    return cuda_fail(machine->driver, code, err, "assay's helper '%s' cannot be launched", program->entry);
}
