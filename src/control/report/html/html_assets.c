// SPDX-License-Identifier: Apache-2.0
//
// See html_assets.h. The assembler reads the files (src/device/device_kernel_text.c does the same).
#include "control/report/html/html_assets.h"

#define EMBED(name, file)                                                                                    \
    __asm__(".pushsection .rodata, \"a\"\n"                                                                  \
            ".globl " name "\n" name ":\n"                                                                   \
            ".incbin \"" file "\"\n"                                                                         \
            ".byte 0\n"                                                                                      \
            ".popsection\n")
EMBED("html_style", ASSAY_HTML_STYLE_FILE);
EMBED("html_script", ASSAY_HTML_SCRIPT_FILE);
