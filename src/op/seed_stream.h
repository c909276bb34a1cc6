// SPDX-License-Identifier: Apache-2.0
//
// What a seed stands for: streams of random words by name (device/device_random.h), other seeds, and draws.
// All are pure functions of the seed; nobody computes it, or one of them, from another.
#ifndef OP_SEED_STREAM_H
#define OP_SEED_STREAM_H

#include "base/hash.h"
#include "device/device_random.h"
#include "device/kernel_launch.h"

#define INPUT_FILL_THREADS 256 // of a block of a device kernel that fills

// The stream of that name, such as "attention mask".
static inline uint64_t seed_stream(const char *name) {
    return hash_text_u64(name);
}

// Seed number `number` of that name.
static inline uint64_t seed_child(uint64_t seed, const char *name, uint64_t number) {
    struct dev_random random = dev_random_make(seed, seed_stream(name));
    return dev_random_u64(&random, number);
}

// Draw number `number` of that name: [0, bound), bound > 0; biased by less than bound / 2^64.
static inline uint64_t seed_below(uint64_t seed, const char *name, uint64_t number, uint64_t bound) {
    return seed_child(seed, name, number) % bound;
}

// Blocks of a device kernel whose threads fill what a block of the cipher gives.
static inline uint32_t input_fill_blocks(uint64_t element_count) {
    const uint64_t each = INPUT_FILL_THREADS * DEV_RANDOM_WORDS;
    return kernel_launch_blocks((int64_t)((element_count + each - 1) / each));
}

#endif
