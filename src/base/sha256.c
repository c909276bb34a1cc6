// SPDX-License-Identifier: Apache-2.0
//
// SHA-256 in plain C, a few hundred megabytes a second: modules are a few megabytes.
#include "base/sha256.h"

#include <string.h>

#include "base/file.h"

struct sha256 sha256_make(void) {
    return (struct sha256){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c,
                                     0x1f83d9ab, 0x5be0cd19}};
}

static uint32_t rotate(uint32_t x, int bits) {
    return x >> bits | x << (32 - bits);
}

// One round; the next one gets the values one place further, so that none is moved.
#define ROUND(a, b, c, d, e, f, g, h, word)                                                                  \
    do {                                                                                                     \
        h += (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) + (word);                 \
        d += h;                                                                                              \
        h += (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));                 \
    } while (0)

static void block_add(uint32_t state[8], const unsigned char *block) {
    static const uint32_t k[64] = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
        0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
        0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
        0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
        0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
        0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
        0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
    uint32_t w[64];
    for (int i = 0; i < 16; ++i)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
               (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (int i = 16; i < 64; ++i) {
        const uint32_t x = w[i - 15], y = w[i - 2];
        w[i] = w[i - 16] + w[i - 7] + (rotate(x, 7) ^ rotate(x, 18) ^ x >> 3) +
               (rotate(y, 17) ^ rotate(y, 19) ^ y >> 10);
    }
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    for (int i = 0; i < 64; i += 8) {
        ROUND(a, b, c, d, e, f, g, h, k[i] + w[i]);
        ROUND(h, a, b, c, d, e, f, g, k[i + 1] + w[i + 1]);
        ROUND(g, h, a, b, c, d, e, f, k[i + 2] + w[i + 2]);
        ROUND(f, g, h, a, b, c, d, e, k[i + 3] + w[i + 3]);
        ROUND(e, f, g, h, a, b, c, d, k[i + 4] + w[i + 4]);
        ROUND(d, e, f, g, h, a, b, c, k[i + 5] + w[i + 5]);
        ROUND(c, d, e, f, g, h, a, b, k[i + 6] + w[i + 6]);
        ROUND(b, c, d, e, f, g, h, a, k[i + 7] + w[i + 7]);
    }
    const uint32_t added[8] = {a, b, c, d, e, f, g, h};
    for (int i = 0; i < 8; ++i) state[i] += added[i];
}

void sha256_add(struct sha256 *sha, const void *bytes, size_t count) {
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
