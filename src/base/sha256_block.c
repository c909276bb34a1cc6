// SPDX-License-Identifier: Apache-2.0
//
// See sha256_block.h. Plain C does a few hundred megabytes a second, the instructions over a gigabyte: a
// history that is imported is hashed file by file.
#include "base/sha256_block.h"

#include <stdatomic.h>
#include <stdbool.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

static const uint32_t k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

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

void sha256_block_plain(uint32_t state[8], const unsigned char *block) {
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

#if defined(__x86_64__)

// The instructions hold the eight words of the state as ABEF and CDGH, and take two rounds each.
__attribute__((target("sha,sse4.1"))) static void block_by_instructions(uint32_t state[8],
                                                                        const unsigned char *block) {
    const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    const __m128i cdab = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(const void *)state), 0xb1);
    const __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(const void *)(state + 4)), 0x1b);
    const __m128i abef_before = _mm_alignr_epi8(cdab, efgh, 8);
    const __m128i cdgh_before = _mm_blend_epi16(efgh, cdab, 0xf0);
    __m128i abef = abef_before, cdgh = cdgh_before, words[4]; // the newest 16 of the message schedule
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) {
        __m128i *next = &words[i % 4];
        if (i < 4) {
            const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(block + 16 * i));
            *next = _mm_shuffle_epi8(bytes, big_endian);
        } else {
            const __m128i seventh = _mm_alignr_epi8(words[(i + 3) % 4], words[(i + 2) % 4], 4);
            *next = _mm_add_epi32(_mm_sha256msg1_epu32(*next, words[(i + 1) % 4]), seventh);
            *next = _mm_sha256msg2_epu32(*next, words[(i + 3) % 4]);
        }
        const __m128i added =
            _mm_add_epi32(*next, _mm_loadu_si128((const __m128i *)(const void *)(k + 4 * i)));
        cdgh = _mm_sha256rnds2_epu32(cdgh, abef, added);
        abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(added, 0x0e));
    }
    const __m128i feba = _mm_shuffle_epi32(_mm_add_epi32(abef, abef_before), 0x1b);
    const __m128i dchg = _mm_shuffle_epi32(_mm_add_epi32(cdgh, cdgh_before), 0xb1);
    _mm_storeu_si128((__m128i *)(void *)state, _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128((__m128i *)(void *)(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

static bool has_instructions(void) {
    unsigned a, b = 0, c = 0, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_SSE4_1)) return false;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & 1u << 29);
}

sha256_block_fn sha256_block_quickest(void) {
    static atomic_int known; // cpuid takes long in a virtual machine. 0: not asked yet
    if (!known) known = has_instructions() ? 1 : -1;
    return known > 0 ? block_by_instructions : sha256_block_plain;
}

#else

sha256_block_fn sha256_block_quickest(void) {
    return sha256_block_plain;
}

#endif
