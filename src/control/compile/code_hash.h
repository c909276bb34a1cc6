// SPDX-License-Identifier: Apache-2.0
//
// Hash of the machine code of an ELF module: executable sections and read-only data, without names, notes,
// build ids and debug information; of GPU code, every target. Two modules with equal hashes run the same
// code.
#ifndef CONTROL_COMPILE_CODE_HASH_H
#define CONTROL_COMPILE_CODE_HASH_H

#include <stdint.h>

#include "base/err.h"
#include "base/hash.h"

// ERR_DATA for anything that is not a sound ELF file. ret_code_bytes: size of the machine code, of the GPU's
// alone if there is any; may be NULL.
int code_hash_file(const char *path, char ret_hex[HASH_HEX_BYTES], int64_t *ret_code_bytes, struct err *err);

#endif
