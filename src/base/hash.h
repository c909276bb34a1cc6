// SPDX-License-Identifier: Apache-2.0
//
// Content hashes: XXH3-128 (xxHash). They name cache entries and verify files; they are no defence against
// malice.
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define HASH_HEX_BYTES 33 // 32 hex digits and a zero

struct hash_state; // streaming

struct hash_state *hash_new(void);
void hash_add(struct hash_state *hash, const void *bytes, size_t count);
void hash_add_text(struct hash_state *hash,
                   const char *text); // with its terminating zero, so that "ab","c" != "a","bc"
void hash_take_hex(struct hash_state *hash, char ret_hex[HASH_HEX_BYTES]); // frees hash
void hash_bytes_hex(const void *bytes, size_t count, char ret_hex[HASH_HEX_BYTES]);
uint64_t hash_text_u64(const char *text);
// Errors of file_open and file_next (base/file.h).
int hash_file_hex(const char *path, char ret_hex[HASH_HEX_BYTES], struct err *err);

#endif
