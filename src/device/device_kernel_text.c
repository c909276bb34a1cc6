// SPDX-License-Identifier: Apache-2.0
//
// Embeds the compiled device kernels (cmake/device.cmake) in this program through the assembler, which
// needs no tool to turn them into C and has no length limit as a string literal has.
#include "device/device_kernel_text.h"

#ifdef ASSAY_DEVICE_KERNELS_PTX_FILE
__asm__(".pushsection .rodata, \"a\"\n"
        ".globl assay_device_kernels_ptx\n"
        ".globl assay_device_kernels_ptx_bytes\n"
        ".balign 16\n"
        "assay_device_kernels_ptx:\n"
        ".incbin \"" ASSAY_DEVICE_KERNELS_PTX_FILE "\"\n"
        "assay_device_kernels_ptx_end:\n"
        ".byte 0\n"
        ".balign 8\n"
        "assay_device_kernels_ptx_bytes:\n"
        ".quad assay_device_kernels_ptx_end - assay_device_kernels_ptx\n"
        ".popsection\n");
#else
const char assay_device_kernels_ptx[] = "";
const size_t assay_device_kernels_ptx_bytes = 0;
#endif
