// SPDX-License-Identifier: Apache-2.0
//
// SHA-256 (FIPS 180-4) by nettle, where someone may want two different contents to have one hash: machine
// code, and keys of the cache of built modules. base/hash.h is many times faster and resists nobody.
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#include <nettle/sha2.h>

#include "base/err.h"

#define SHA256_HEX_BYTES 65 // 64 hex digits and a zero

struct sha256 {
    struct sha256_ctx context;
};

struct sha256 sha256_make(void);
void sha256_add(struct sha256 *sha, const void *bytes, size_t count);
void sha256_add_u64(struct sha256 *sha, uint64_t value);        // eight bytes, little-endian
void sha256_add_text(struct sha256 *sha, const char *text);     // with its zero: "ab","c" is not "a","bc"
void sha256_hex(struct sha256 sha, char ret[SHA256_HEX_BYTES]); // of all that was added; more may follow
int sha256_file_hex(const char *path, char ret[SHA256_HEX_BYTES], struct err *err);

#endif
