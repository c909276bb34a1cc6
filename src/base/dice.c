// SPDX-License-Identifier: Apache-2.0
//
// Draws come from nonce 0, in order. Children's keys come from nonces that are hashes of their purposes, so
// no block serves twice.
#include "base/dice.h"

#include <assert.h>
#include <nettle/base16.h>
#include <nettle/chacha.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"

static_assert(DICE_KEY_BYTES == CHACHA_KEY_SIZE, "a key of ChaCha");

#define BLOCK_COUNTER 12 // word of ChaCha's state in which the block counter begins, low half first

static void take_block(const unsigned char key[DICE_KEY_BYTES], uint64_t nonce, uint64_t number,
                       unsigned char ret[CHACHA_BLOCK_SIZE]) {
    struct chacha_ctx context;
    static const unsigned char zeros[CHACHA_BLOCK_SIZE];
    unsigned char nonce_bytes[CHACHA_NONCE_SIZE];
    for (int i = 0; i < CHACHA_NONCE_SIZE; ++i) nonce_bytes[i] = (unsigned char)(nonce >> 8 * i);
    chacha_set_key(&context, key);
    chacha_set_nonce(&context, nonce_bytes);
    context.state[BLOCK_COUNTER] = (uint32_t)number;
    context.state[BLOCK_COUNTER + 1] = (uint32_t)(number >> 32);
    chacha_crypt(&context, CHACHA_BLOCK_SIZE, ret, zeros);
}

int dice_make_secret(struct dice *ret, struct err *err) {
    *ret = (struct dice){0};
    if (getentropy(ret->key, sizeof ret->key) == 0) return 0;
    return err_set_errno(err, ERR_UNAVAILABLE, "the kernel gives no random numbers");
}

struct dice dice_of_seed(uint64_t seed) {
    struct dice ret = {0};
    for (size_t i = 0; i < sizeof seed; ++i) ret.key[i] = (unsigned char)(seed >> 8 * i);
    return ret;
}

struct dice dice_child(const struct dice *parent, const char *purpose, uint64_t number) {
    unsigned char block[CHACHA_BLOCK_SIZE];
    struct dice ret = {0};
    take_block(parent->key, hash_text_u64(purpose), number, block);
    memcpy(ret.key, block, sizeof ret.key);
    return ret;
}

uint64_t dice_u64(struct dice *dice) {
    if (!dice->left) {
        unsigned char block[CHACHA_BLOCK_SIZE];
        take_block(dice->key, 0, dice->block_count++, block);
        memcpy(dice->words, block, sizeof dice->words);
        dice->left = DICE_WORDS;
    }
    return dice->words[DICE_WORDS - dice->left--];
}

double dice_uniform(struct dice *dice) {
    return (double)(dice_u64(dice) >> 11) * 0x1p-53;
}

uint64_t dice_below(struct dice *dice, uint64_t bound) {
    if (bound == 0) BUG("dice_below with bound 0");
    return dice_u64(dice) % bound;
}

uint64_t dice_size(struct dice *dice, uint32_t log2_max) {
    const uint64_t base = UINT64_C(1) << dice_below(dice, log2_max);
    return base + dice_below(dice, base);
}

void dice_key_hex(const struct dice *dice, char ret[DICE_HEX_BYTES]) {
    base16_encode_update(ret, sizeof dice->key, dice->key);
    ret[2 * sizeof dice->key] = 0;
}
