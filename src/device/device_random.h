// SPDX-License-Identifier: Apache-2.0
//
// The random words of inputs, once for nvcc and for C: ChaCha8 (Bernstein 2008, "ChaCha, a variant of
// Salsa20") with the seed as key, the stream as nonce and the block's number as counter. Whoever sees a
// tensor sees these words, nearly bit for bit; from them nobody computes the seed, or any word of another
// seed or stream. Eight rounds: the best known attack reaches seven (Aumasson 2019, "Too Much Crypto", takes
// eight for ChaCha).
#ifndef DEVICE_DEVICE_RANDOM_H
#define DEVICE_DEVICE_RANDOM_H

#include "device/device_kernel_core.h"

#ifdef __CUDACC__ // an array whose place is a variable would lie in memory, not in registers
#define DEV_UNROLL _Pragma("unroll")
#else
#define DEV_UNROLL
#endif

#define DEV_RANDOM_ROUNDS 8
#define DEV_RANDOM_WORDS  16 // of 32 bits, in a block

DEV_FN uint32_t dev_rotate_left(uint32_t word, int bits) {
    return word << bits | word >> (32 - bits);
}

DEV_FN void dev_chacha_quarter(uint32_t *a, uint32_t *b, uint32_t *c, uint32_t *d) {
    *a += *b, *d = dev_rotate_left(*d ^ *a, 16);
    *c += *d, *b = dev_rotate_left(*b ^ *c, 12);
    *a += *b, *d = dev_rotate_left(*d ^ *a, 8);
    *c += *d, *b = dev_rotate_left(*b ^ *c, 7);
}

// One block from a state of constants, key, counter and nonce.
DEV_FN void dev_chacha_block(const uint32_t state[DEV_RANDOM_WORDS], int rounds,
                             uint32_t ret[DEV_RANDOM_WORDS]) {
    uint32_t x[DEV_RANDOM_WORDS];
    DEV_UNROLL
    for (int i = 0; i < DEV_RANDOM_WORDS; ++i) x[i] = state[i];
    DEV_UNROLL
    for (int round = 0; round < rounds; round += 2) {
        dev_chacha_quarter(&x[0], &x[4], &x[8], &x[12]);
        dev_chacha_quarter(&x[1], &x[5], &x[9], &x[13]);
        dev_chacha_quarter(&x[2], &x[6], &x[10], &x[14]);
        dev_chacha_quarter(&x[3], &x[7], &x[11], &x[15]);
        dev_chacha_quarter(&x[0], &x[5], &x[10], &x[15]);
        dev_chacha_quarter(&x[1], &x[6], &x[11], &x[12]);
        dev_chacha_quarter(&x[2], &x[7], &x[8], &x[13]);
        dev_chacha_quarter(&x[3], &x[4], &x[9], &x[14]);
    }
    DEV_UNROLL
    for (int i = 0; i < DEV_RANDOM_WORDS; ++i) ret[i] = x[i] + state[i];
}

DEV_FN void dev_random_state(uint64_t seed, uint64_t stream, uint64_t number,
                             uint32_t ret[DEV_RANDOM_WORDS]) {
    const uint32_t constants[4] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}; // "expand 32-byte k"
    DEV_UNROLL
    for (int i = 0; i < 4; ++i) ret[i] = constants[i];
    ret[4] = (uint32_t)seed, ret[5] = (uint32_t)(seed >> 32);
    DEV_UNROLL
    for (int i = 6; i < 12; ++i) ret[i] = 0;
    ret[12] = (uint32_t)number, ret[13] = (uint32_t)(number >> 32);
    ret[14] = (uint32_t)stream, ret[15] = (uint32_t)(stream >> 32);
}

DEV_FN uint32_t dev_random_pick(const uint32_t words[DEV_RANDOM_WORDS], int place) {
#ifdef __CUDACC__
    uint32_t ret = 0;
    DEV_UNROLL
    for (int i = 0; i < DEV_RANDOM_WORDS; ++i) ret = i == place ? words[i] : ret;
    return ret;
#else
    return words[place];
#endif
}

// The words of a seed's stream, by their index; the block that holds the last one is kept.
struct dev_random {
    uint64_t seed, stream;
    uint64_t number; // of the block in words; DEV_NONE: none yet
    uint32_t words[DEV_RANDOM_WORDS];
};

DEV_FN struct dev_random dev_random_make(uint64_t seed, uint64_t stream) {
    struct dev_random ret;
    ret.seed = seed, ret.stream = stream, ret.number = DEV_NONE;
    return ret;
}

DEV_FN uint32_t dev_random_word(struct dev_random *random, uint64_t index) {
    const uint64_t number = index / DEV_RANDOM_WORDS;
    if (number != random->number) {
        uint32_t state[DEV_RANDOM_WORDS];
        dev_random_state(random->seed, random->stream, number, state);
        dev_chacha_block(state, DEV_RANDOM_ROUNDS, random->words);
        random->number = number;
    }
    return dev_random_pick(random->words, (int)(index % DEV_RANDOM_WORDS));
}

DEV_FN uint64_t dev_random_u64(struct dev_random *random, uint64_t index) {
    const uint64_t low = dev_random_word(random, 2 * index);
    return low | (uint64_t)dev_random_word(random, 2 * index + 1) << 32;
}

// [0, 1), 53 bits.
DEV_FN double dev_random_uniform(struct dev_random *random, uint64_t index) {
    return (double)(dev_random_u64(random, index) >> 11) * 0x1p-53;
}

// A normal deviate by table (op/random_normal.h): ten bits choose one of 1024 bins of equal probability, 22
// more the position in it.
DEV_FN double dev_deviate(const double *table, uint32_t word) {
    const uint32_t bin = word >> 22;
    const double low = table[bin], width = table[bin + 1] - low;
    return low + width * ((double)(int32_t)(word & 0x3fffff) + 0.5) * (1.0 / (1 << 22));
}

#endif
