// SPDX-License-Identifier: Apache-2.0
//
// Holds a right kernel and a wrong one; which of them the module offers is the value of one symbol. With
// OFFERS_RIGHT it is the right one: the two builds have the same instructions, constants and relocations.
#define ASSAY_MODULE_SYMBOL offers_right
#include "broken.h"

BROKEN_KERNEL(broken_launch_right)

static int launch_wrong(void *state, const struct assay_tensors *tensors, void *workspace, void *stream,
                        struct assay_message *message) {
    ((struct broken *)state)->scale = 0; // all keys get the same weight
    return broken_launch(state, tensors, workspace, stream, message);
}

static const struct assay_kernel wrong_kernels[] = {{.struct_size = sizeof(struct assay_kernel),
                                                     .abi_version = ASSAY_ABI_VERSION,
                                                     .name = "broken",
                                                     .op = "attention",
                                                     .backend = "cpu",
                                                     .supports = broken_supports,
                                                     .launch = launch_wrong,
                                                     .prepare = broken_prepare,
                                                     .release = broken_release}};
#undef ASSAY_MODULE_SYMBOL
#define ASSAY_MODULE_SYMBOL offers_wrong
ASSAY_MODULE(wrong_kernels)

#ifdef OFFERS_RIGHT
#define OFFERED "offers_right"
#else
#define OFFERED "offers_wrong"
#endif
__asm__(".globl assay_module\n.type assay_module, @function\n.set assay_module, " OFFERED "\n");
