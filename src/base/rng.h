// SPDX-License-Identifier: Apache-2.0
//
// Random numbers as a pure function of (seed, stream, index): no state, so any element of any tensor and any
// draw of any round can be computed alone, in any order, on any thread. Quality: a 64-bit finaliser chain
// (SplitMix64's mixing constants, Steele et al. 2014) applied to the three words.
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stdint.h>

uint64_t rng_u64(uint64_t seed, uint64_t stream, uint64_t index);
double rng_uniform(uint64_t seed, uint64_t stream, uint64_t index); // [0, 1), 53 bits
double rng_normal(uint64_t seed, uint64_t stream, uint64_t index);  // Box-Muller on two words of that index
uint64_t rng_below(uint64_t seed, uint64_t stream, uint64_t index,
                   uint64_t bound);    // [0, bound), bound > 0, unbiased
uint64_t rng_stream(const char *name); // a stream number from a name (hash), for readable call sites
void rng_shuffle(uint32_t *items, uint32_t count, uint64_t seed, uint64_t stream); // Fisher-Yates

#endif
