// SPDX-License-Identifier: Apache-2.0
//
// Counter-based random numbers: a pure function of (seed, stream, index). Each word passes the SplitMix64
// finaliser (Steele, Lea, Flood 2014; Stafford's variant 13 constants) and is added into the next, so
// neighbours in any of the three are unrelated.
#include "base/rng.h"

#include <math.h>

#include "base/err.h"
#include "base/hash.h"

static uint64_t mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15u; // 2^64 / golden ratio: the step of SplitMix64
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static double to_uniform(uint64_t word) {
    return (double)(word >> 11) * 0x1p-53;
}

uint64_t rng_u64(uint64_t seed, uint64_t stream, uint64_t index) {
    return mix(mix(mix(seed) + stream) + index);
}

double rng_uniform(uint64_t seed, uint64_t stream, uint64_t index) {
    return to_uniform(rng_u64(seed, stream, index));
}

double rng_normal(uint64_t seed, uint64_t stream, uint64_t index) {
    static const double two_pi = 6.283185307179586476925;
    uint64_t first = rng_u64(seed, stream, index);
    uint64_t second = mix(first);
    double radius = sqrt(-2.0 * log(to_uniform(first) + 0x1p-53)); // (0, 1], so that the logarithm is finite
    return radius * cos(two_pi * to_uniform(second));
}

uint64_t rng_below(uint64_t seed, uint64_t stream, uint64_t index, uint64_t bound) {
    if (bound == 0) BUG("rng_below with bound 0");
    // Words below 2^64 mod bound are rejected: the count of those that remain is a multiple of bound.
    const uint64_t refused = (0 - bound) % bound;
    uint64_t word = rng_u64(seed, stream, index);
    while (word < refused) word = mix(word);
    return word % bound;
}

uint64_t rng_stream(const char *name) {
    return hash_text_u64(name);
}

void rng_shuffle(uint32_t *items, uint32_t count, uint64_t seed, uint64_t stream) {
    for (uint32_t i = count; i > 1; --i) {
        uint32_t j = (uint32_t)rng_below(seed, stream, i, i);
        uint32_t kept = items[i - 1];
        items[i - 1] = items[j];
        items[j] = kept;
    }
}
