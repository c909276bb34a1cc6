// SPDX-License-Identifier: Apache-2.0
//
// A file as a text of this program: the assembler reads it. It ends with a zero; declare it as
// extern const char name[]. The build lists the file as one that the object depends on (CMakeLists.txt).
#ifndef BASE_EMBED_H
#define BASE_EMBED_H

#define EMBED(name, file)                                                                                    \
    __asm__(".pushsection .rodata, \"a\"\n"                                                                  \
            ".globl " name "\n" name ":\n"                                                                   \
            ".incbin \"" file "\"\n"                                                                         \
            ".byte 0\n"                                                                                      \
            ".popsection\n")

#endif
