// SPDX-License-Identifier: Apache-2.0
//
// Evens out, in a library that is copied into the cache, what its code can read and what says nothing about
// its code: the build id, and how long the debug information is. Code, data and their places stay.
#ifndef CONTROL_COMPILE_MODULE_NORMALIZE_H
#define CONTROL_COMPILE_MODULE_NORMALIZE_H

#include "control/compile/tool/elf_file.h"

// The library with a build id of zeros, and with section headers, symbol tables, comments and debug
// information moved behind the pages that are mapped, in an order of our own. Caller frees. NULL: laid out in
// a way that no linker does, or with data that belongs to no section; it stays as it is.
unsigned char *module_normalize(const struct elf_file *elf, size_t *ret_length);

// The same for a file, which is replaced.
int module_normalize_file(const char *path, struct err *err);

#endif
