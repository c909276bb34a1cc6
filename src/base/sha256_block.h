// SPDX-License-Identifier: Apache-2.0
//
// The compression function of SHA-256, in plain C and by the processor's own instructions.
#ifndef BASE_SHA256_BLOCK_H
#define BASE_SHA256_BLOCK_H

#include <stdint.h>

typedef void (*sha256_block_fn)(uint32_t state[8], const unsigned char *block); // of 64 bytes

void sha256_block_plain(uint32_t state[8], const unsigned char *block);
sha256_block_fn sha256_block_quickest(void); // that this processor has

#endif
