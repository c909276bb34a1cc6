// SPDX-License-Identifier: Apache-2.0
//
// A CUDA kernel's file (EMULATED_FILE) as a module for the backend "cpu". Its device functions take one
// struct by value (EMULATED_PROBLEM). The parameters that only choose among compiled instances come from the
// environment: EMULATED_WARPGROUPS, EMULATED_SPLITS.
#include "emulator.h"

#include <assay/kernel.h>
#include <stdlib.h>

static inline int emulated(const char *name) {
    const char *text = getenv(name);
    return text ? atoi(text) : 0;
}

#define WARPGROUPS emulated("EMULATED_WARPGROUPS")
#define SPLITS     emulated("EMULATED_SPLITS")
#undef ASSAY_MODULE
#define ASSAY_MODULE(kernel_array) static const struct assay_kernel &of_device = (kernel_array)[0];

#include EMULATED_FILE

void emulator_call(const void *kernel, const void *argument) {
    typedef void (*function)(const EMULATED_PROBLEM);
    reinterpret_cast<function>(const_cast<void *>(kernel))(*static_cast<const EMULATED_PROBLEM *>(argument));
}

// An emulated thread block takes milliseconds: no problem with tens of thousands of them.
static int supports(const struct assay_problem *problem, struct assay_message *message) {
    for (uint32_t i = 0; i < problem->axis_count; ++i)
        if (problem->axes[i].value > 16384)
            return assay_say(message, ASSAY_UNSUPPORTED,
                             "the emulator is too slow for so many thread blocks");
    return of_device.supports ? of_device.supports(problem, message) : ASSAY_OK;
}

extern "C" ASSAY_EXPORT const struct assay_module *assay_module(void) {
    static struct assay_kernel kernel = of_device;
    static const struct assay_module module = {sizeof module, ASSAY_ABI_VERSION, 1, sizeof kernel, &kernel};
    kernel.backend = "cpu";
    kernel.supports = supports;
    return &module;
}
