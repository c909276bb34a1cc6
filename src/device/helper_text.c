// SPDX-License-Identifier: Apache-2.0
//
// Takes the compiled helpers (cmake/device.cmake) into this program as they lie on the disk, through the assembler: no tool
// that makes C of them, no limit of a string literal.
#include "device/helper_text.h"

#ifdef ASSAY_HELPERS_PTX_FILE
__asm__(".pushsection .rodata, \"a\"\n"
        ".globl assay_helpers_ptx\n"
        ".globl assay_helpers_ptx_bytes\n"
        ".balign 16\n"
        "assay_helpers_ptx:\n"
        ".incbin \"" ASSAY_HELPERS_PTX_FILE "\"\n"
        "assay_helpers_ptx_end:\n"
        ".byte 0\n"
        ".balign 8\n"
        "assay_helpers_ptx_bytes:\n"
        ".quad assay_helpers_ptx_end - assay_helpers_ptx\n"
        ".popsection\n");
#else
const char assay_helpers_ptx[] = "";
const size_t assay_helpers_ptx_bytes = 0;
#endif
