// SPDX-License-Identifier: Apache-2.0
//
// What the judge draws: which launch is looked at, which rows, places of canaries, what is kept or redrawn,
// the seeds of inputs. A keyed pseudo-random function: ChaCha20 (Bernstein 2008) in its original form, with a
// key of 256 bits, a nonce of 64 and a counter of 64. Who sees any of the draws cannot compute another one,
// so a kernel learns nothing from the inputs that were drawn for it. Statistics and simulations use
// base/rng.h, which is quicker and hides nothing.
#ifndef BASE_DICE_H
#define BASE_DICE_H

#include <stdint.h>

#include "base/err.h"

#define DICE_KEY_BYTES 32
#define DICE_HEX_BYTES (2 * DICE_KEY_BYTES + 1)
#define DICE_WORDS     8 // draws of one block

// A value: a copy goes on to draw the same numbers. Zeroed: not to be drawn from.
struct dice {
    unsigned char key[DICE_KEY_BYTES];
    uint64_t block_count; // blocks taken
    uint64_t words[DICE_WORDS];
    uint32_t left; // words that were not drawn yet: the last ones
};

// Under a key that nobody knows. ERR_UNAVAILABLE: the system gives no random numbers.
int dice_make_secret(struct dice *ret, struct err *err);
// Under a key made from a seed: the same draws every time, for simulated devices and for what a seed repeats.
struct dice dice_of_seed(uint64_t seed);
// Dice of their own for one purpose: their draws depend on the parent's key, the purpose and the number, and
// not on what was drawn before.
struct dice dice_child(const struct dice *parent, const char *purpose, uint64_t number);

uint64_t dice_u64(struct dice *dice);
double dice_uniform(struct dice *dice); // [0, 1), 53 bits
// [0, bound), bound > 0. Probabilities differ from 1/bound by less than 2^-64.
uint64_t dice_below(struct dice *dice, uint64_t bound);
// 1 to 2^log2_max - 1: each power of two with what lies above it as likely as the next. log2_max > 0.
uint64_t dice_size(struct dice *dice, uint32_t log2_max);

// The key in hex, for the last record of a worker, when its draws no longer matter.
void dice_key_hex(const struct dice *dice, char ret[DICE_HEX_BYTES]);

#endif
