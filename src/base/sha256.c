// SPDX-License-Identifier: Apache-2.0
//
// SHA-256 of bytes that come by pieces.
#include "base/sha256.h"

#include <string.h>

#include "base/file.h"
#include "base/sha256_block.h"

struct sha256 sha256_make(void) {
    return (struct sha256){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c,
                                     0x1f83d9ab, 0x5be0cd19}};
}

void sha256_add(struct sha256 *sha, const void *bytes, size_t count) {
    const sha256_block_fn block_add = sha256_block_quickest();
    const unsigned char *from = bytes;
    size_t held = (size_t)(sha->byte_count % sizeof sha->block);
    sha->byte_count += count;
    while (count) {
        if (held == 0 && count >= sizeof sha->block) { // without a copy
            block_add(sha->state, from);
            from += sizeof sha->block;
            count -= sizeof sha->block;
            continue;
        }
        const size_t room = sizeof sha->block - held, taken = count < room ? count : room;
        memcpy(sha->block + held, from, taken);
        from += taken;
        count -= taken;
        held += taken;
        if (held < sizeof sha->block) return;
        block_add(sha->state, sha->block);
        held = 0;
    }
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
    static const char digits[] = "0123456789abcdef";
    static const unsigned char padding[64] = {0x80};
    const uint64_t bit_count = sha.byte_count * 8;
    const size_t held = (size_t)(sha.byte_count % 64);
    unsigned char length[8];
    for (int i = 0; i < 8; ++i) length[i] = (unsigned char)(bit_count >> (56 - 8 * i));
    sha256_add(&sha, padding, held < 56 ? 56 - held : 120 - held);
    sha256_add(&sha, length, sizeof length);
    for (size_t i = 0; i < 64; ++i) ret[i] = digits[sha.state[i / 8] >> (28 - 4 * (i % 8)) & 15];
    ret[64] = 0;
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
