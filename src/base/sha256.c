// SPDX-License-Identifier: Apache-2.0
//
// SHA-256 of bytes that come by pieces.
#include "base/sha256.h"

#include <nettle/base16.h>
#include <string.h>

#include "base/file.h"

struct sha256 sha256_make(void) {
    struct sha256 sha;
    sha256_init(&sha.context);
    return sha;
}

void sha256_add(struct sha256 *sha, const void *bytes, size_t count) {
    sha256_update(&sha->context, count, bytes);
}

void sha256_add_u64(struct sha256 *sha, uint64_t value) {
    unsigned char bytes[8];
    for (int i = 0; i < 8; ++i) bytes[i] = (unsigned char)(value >> 8 * i);
    sha256_add(sha, bytes, sizeof bytes);
}

void sha256_add_text(struct sha256 *sha, const char *text) {
    sha256_add(sha, text, strlen(text) + 1);
}

void sha256_hex(struct sha256 sha, char ret[SHA256_HEX_BYTES]) {
    uint8_t digest[SHA256_DIGEST_SIZE];
    sha256_digest(&sha.context, sizeof digest, digest);
    base16_encode_update(ret, sizeof digest, digest);
    ret[2 * sizeof digest] = 0;
}

static void add_chunk(void *sha, const char *bytes, size_t count) {
    sha256_add(sha, bytes, count);
}

int sha256_file_hex(const char *path, char ret[SHA256_HEX_BYTES], struct err *err) {
    struct sha256 sha = sha256_make();
    TRY(file_feed(path, add_chunk, &sha, err));
    sha256_hex(sha, ret);
    return 0;
}
