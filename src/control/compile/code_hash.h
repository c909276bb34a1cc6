// SPDX-License-Identifier: Apache-2.0
//
// Hash of all that decides what a library does: every byte that is in memory when it runs, and what else is
// in the file but for names, comments and debug information. Two modules with equal hashes run the same code.
#ifndef CONTROL_COMPILE_CODE_HASH_H
#define CONTROL_COMPILE_CODE_HASH_H

#include <stdint.h>

#include "base/err.h"
#include "base/sha256.h"
#include "control/compile/tool/elf_file.h"

void code_hash(const struct elf_file *elf, char ret_hex[SHA256_HEX_BYTES]);

// ERR_DATA for anything that is not a sound ELF file. ret_code_bytes: size of the machine code, of the GPU's
// alone if there is any; may be NULL.
int code_hash_file(const char *path, char ret_hex[SHA256_HEX_BYTES], int64_t *ret_code_bytes,
                   struct err *err);

#endif
