// SPDX-License-Identifier: Apache-2.0
//
// Describes itself as four billion kernels at a wild address.
#include <assay/kernel.h>

ASSAY_EXPORT const struct assay_module *assay_module(void) {
    static const struct assay_module module = {.struct_size = sizeof module,
                                               .abi_version = ASSAY_ABI_VERSION,
                                               .kernel_count = 4000000000u,
                                               .kernel_bytes = 64,
                                               .kernels = (const struct assay_kernel *)(uintptr_t)4096};
    return &module;
}
