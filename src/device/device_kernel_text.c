// SPDX-License-Identifier: Apache-2.0
//
// Embeds the compiled device kernels (cmake/device.cmake) in this program through the assembler, which
// needs no tool to turn them into C and has no length limit as a string literal has.
#include "device/device_kernel_text.h"

#ifdef ASSAY_DEVICE_KERNELS_PTX_FILE
#define EMBED(name, file)                                                                                    \
    __asm__(".pushsection .rodata, \"a\"\n"                                                                  \
            ".globl " name "\n"                                                                              \
            ".globl " name "_bytes\n"                                                                        \
            ".balign 16\n" name ":\n"                                                                        \
            ".incbin \"" file "\"\n" name "_end:\n"                                                          \
            ".byte 0\n"                                                                                      \
            ".balign 8\n" name "_bytes:\n"                                                                   \
            ".quad " name "_end - " name "\n"                                                                \
            ".popsection\n")
EMBED("assay_device_kernels_ptx", ASSAY_DEVICE_KERNELS_PTX_FILE);
EMBED("assay_device_kernels_for_hosts_ptx", ASSAY_DEVICE_KERNELS_FOR_HOSTS_PTX_FILE);
EMBED("assay_device_kernels_for_fills_ptx", ASSAY_DEVICE_KERNELS_FOR_FILLS_PTX_FILE);
EMBED("assay_ceiling_kernels_sm80", ASSAY_CEILING_KERNELS_SM80_FILE);
EMBED("assay_ceiling_kernels_sm89", ASSAY_CEILING_KERNELS_SM89_FILE);
EMBED("assay_ceiling_kernels_sm90a", ASSAY_CEILING_KERNELS_SM90A_FILE);
#else
const char assay_device_kernels_ptx[] = "", assay_device_kernels_for_hosts_ptx[] = "",
           assay_device_kernels_for_fills_ptx[] = "";
const char assay_ceiling_kernels_sm80[] = "", assay_ceiling_kernels_sm89[] = "",
           assay_ceiling_kernels_sm90a[] = "";
const size_t assay_device_kernels_ptx_bytes = 0;
#endif
