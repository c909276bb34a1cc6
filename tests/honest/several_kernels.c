// SPDX-License-Identifier: Apache-2.0
//
// Style: a module with three kernels, of which one is asked for.
#include "honest.h"

static int launch_nothing(void *state, const struct assay_tensors *tensors, void *workspace, void *stream,
                          struct assay_message *message) {
    (void)state, (void)tensors, (void)workspace, (void)stream;
    return assay_say(message, ASSAY_FAILED, "not finished yet");
}

HONEST_CALLBACKS(honest_launch_all, honest_no_setup, honest_no_cleanup)

#define UNFINISHED(kernel_name)                                                                              \
    {                                                                                                        \
        .struct_size = sizeof(struct assay_kernel), .abi_version = ASSAY_ABI_VERSION, .name = kernel_name,   \
        .op = "attention", .backend = "cpu", .supports = honest_supports, .launch = launch_nothing           \
    }

static const struct assay_kernel kernels[] = {
    UNFINISHED("honest_draft"), {HONEST_ENTRY("honest")}, UNFINISHED("honest_next")};
ASSAY_MODULE(kernels)
