// SPDX-License-Identifier: Apache-2.0
//
// Hash of contents: XXH3-128 in canonical (big-endian) hex, the same on every machine.
#include "base/hash.h"

#include <nettle/base16.h>
#include <string.h>
#include <xxhash.h>

#include "base/file.h"

struct hash_state; // really XXH3_state_t; casting keeps xxhash.h out of the header

static void digest_format(XXH128_hash_t digest, char ret_hex[HASH_HEX_BYTES]) {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, digest);
    base16_encode_update(ret_hex, sizeof canonical.digest, canonical.digest);
    ret_hex[HASH_HEX_BYTES - 1] = 0;
}

struct hash_state *hash_new(void) {
    XXH3_state_t *state = XXH3_createState();
    if (!state || XXH3_128bits_reset(state) != XXH_OK) BUG("no hash state");
    return (struct hash_state *)state;
}

void hash_add(struct hash_state *hash, const void *bytes, size_t count) {
    if (count) XXH3_128bits_update((XXH3_state_t *)hash, bytes, count);
}

void hash_add_text(struct hash_state *hash, const char *text) {
    hash_add(hash, text, strlen(text) + 1);
}

void hash_take_hex(struct hash_state *hash, char ret_hex[HASH_HEX_BYTES]) {
    digest_format(XXH3_128bits_digest((XXH3_state_t *)hash), ret_hex);
    XXH3_freeState((XXH3_state_t *)hash);
}

void hash_bytes_hex(const void *bytes, size_t count, char ret_hex[HASH_HEX_BYTES]) {
    digest_format(XXH3_128bits(bytes, count), ret_hex);
}

uint64_t hash_text_u64(const char *text) {
    return XXH3_64bits(text, strlen(text));
}

static void add_chunk(void *hash, const char *bytes, size_t count) {
    hash_add(hash, bytes, count);
}

int hash_file_hex(const char *path, char ret_hex[HASH_HEX_BYTES], struct err *err) {
    struct hash_state *hash = hash_new();
    const int result = file_feed(path, add_chunk, hash, err);
    char hex[HASH_HEX_BYTES];
    hash_take_hex(hash, hex); // frees the hash, whatever the result
    if (result == 0) memcpy(ret_hex, hex, HASH_HEX_BYTES);
    return result;
}
