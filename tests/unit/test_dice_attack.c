// SPDX-License-Identifier: Apache-2.0
//
// A kernel that has all of assay's source sees the inputs that were drawn for it, bit for bit, and names what
// the judge draws next: which launch of the sample is looked at. With inputs and draws of the mixing function
// that assay once used it is always right; with those in use no better than chance, after 10 000 sets.
#include <math.h>
#include <stdio.h>

#include "base/dice.h"
#include "base/hash.h"
#include "op/dtype.h"
#include "op/random_normal.h"
#include "op_buffers.h"

#define SETS     10000
#define LAUNCHES 16
#define CHANCE   (1.0 / LAUNCHES)

// ---- the mixing function: SplitMix64, whose three steps are bijections ----

#define GOLDEN UINT64_C(0x9e3779b97f4a7c15)

static uint64_t mix(uint64_t z) {
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static uint64_t inverse_of_odd(uint64_t x) { // Newton's iteration modulo 2^64
    uint64_t ret = x;
    for (int i = 0; i < 6; ++i) ret *= 2 - x * ret;
    return ret;
}

static uint64_t unshift(uint64_t z, int bits) {
    uint64_t ret = z;
    for (int done = bits; done < 64; done += bits) ret = z ^ ret >> bits;
    return ret;
}

static uint64_t unmix(uint64_t z) {
    z = unshift(z, 31) * inverse_of_odd(UINT64_C(0x94d049bb133111eb));
    z = unshift(z, 27) * inverse_of_odd(UINT64_C(0xbf58476d1ce4e5b9));
    return unshift(z, 30);
}

static uint64_t mixed(uint64_t seed, uint64_t stream, uint64_t index) {
    return mix(mix(mix(seed + GOLDEN) + stream + GOLDEN) + index + GOLDEN);
}

// The seed of a tensor whose first two 32-bit words are these.
static uint64_t seed_behind(uint64_t stream, uint64_t word) {
    return unmix(unmix(unmix(unmix(word)) - GOLDEN) - GOLDEN - stream) - GOLDEN;
}

// The word of a deviate's bin and place in it, as far as fp32 shows it; error: of the last bits.
static uint32_t word_of(double value) {
    size_t bytes;
    const double *edge = ((const struct normal_table *)normal_table_shared(&bytes))->edge;
    uint32_t bin = 0;
    while (bin + 1 < NORMAL_BIN_COUNT && edge[bin + 1] <= value) ++bin;
    const double place = (value - edge[bin]) / (edge[bin + 1] - edge[bin]) * (1 << 22);
    return bin << 22 | ((uint32_t)place & 0x3fffff);
}

// ---- what the attacker can do ----

// Counters that a seed's children have: that of this set, and what the judge draws after it.
static uint32_t draw_of_mixed(uint64_t counter) {
    return (uint32_t)(mixed(counter, hash_text_u64("verified launch"), 0) % LAUNCHES);
}

enum strategy { INVERTS_MIXING, SEED_IN_WORDS, KEY_IN_WORDS, REPEATS_LAST, STRATEGIES };

struct attacker {
    uint32_t last; // draw, which it learns when its wrong result is found out
    uint64_t right[STRATEGIES];
};

// Guesses of the launch that is looked at, from the first words of a set.
static void guess(const struct attacker *attacker, const uint32_t words[4], uint64_t stream,
                  uint32_t ret[STRATEGIES]) {
    const uint64_t low = (uint64_t)words[1] << 32 | words[0], high = (uint64_t)words[3] << 32 | words[2];
    ret[INVERTS_MIXING] = draw_of_mixed(unmix(seed_behind(stream, low)) + 1);
    struct dice dice = dice_of_seed(low);
    ret[SEED_IN_WORDS] = (uint32_t)dice_below(&dice, LAUNCHES);
    for (size_t i = 0; i < sizeof low; ++i)
        dice.key[i] = (unsigned char)(low >> 8 * i), dice.key[8 + i] = (unsigned char)(high >> 8 * i);
    dice.left = 0;
    ret[KEY_IN_WORDS] = (uint32_t)dice_below(&dice, LAUNCHES);
    ret[REPEATS_LAST] = attacker->last;
}

static void learn(struct attacker *attacker, const uint32_t guesses[STRATEGIES], uint32_t drawn) {
    for (int i = 0; i < STRATEGIES; ++i) attacker->right[i] += guesses[i] == drawn;
    attacker->last = drawn;
}

// ---- the two judges ----

// As assay once did: the counter's mix is the seed, the inputs are the seed's sequence.
static void test_attack_works_on_a_mixing_function(void **state) {
    (void)state;
    const uint64_t stream = hash_text_u64("attention");
    struct attacker attacker = {0};
    for (uint64_t i = 0; i < SETS; ++i) {
        const uint64_t counter = mixed(42, 7, 0) + 2 * i, seed = mix(counter);
        const uint64_t word = mix(mixed(seed, stream, 0));
        const uint32_t words[4] = {(uint32_t)word, (uint32_t)(word >> 32), 0, 0};
        uint32_t guesses[STRATEGIES];
        assert_true(unmix(mix(counter)) == counter);
        assert_true(seed_behind(stream, word) == seed);
        guess(&attacker, words, stream, guesses);
        learn(&attacker, guesses, draw_of_mixed(counter + 1));
    }
    assert_int_equal(attacker.right[INVERTS_MIXING], SETS);
}

static double element(const struct assay_tensor *tensor, uint64_t index) {
    int64_t coord[ASSAY_MAX_DIMS];
    tensor_coord(tensor, index, coord);
    return dtype_load(tensor->dtype, (const char *)tensor->data +
                                         (size_t)tensor_offset(tensor, coord) * dtype_bytes(tensor->dtype));
}

static void attack(const char *problem, uint32_t tensor, uint64_t stream, const struct dice *secret) {
    struct attacker attacker = {0};
    struct dice dice = *secret;
    struct op_buffers b;
    op_buffers_init(&b, problem, MEMORY_LAYOUT_DENSE);
    for (uint64_t i = 0; i < SETS; ++i) {
        uint32_t words[4], guesses[STRATEGIES];
        op_buffers_fill(&b, OP_DISTRIBUTION_DEFAULT, dice_u64(&dice));
        for (uint64_t k = 0; k < 4; ++k) words[k] = word_of(element(&b.abi.tensors[tensor], k));
        guess(&attacker, words, stream, guesses);
        learn(&attacker, guesses, (uint32_t)dice_below(&dice, LAUNCHES));
    }
    op_buffers_fini(&b);
    const double deviation = sqrt(SETS * CHANCE * (1 - CHANCE));
    for (int i = 0; i < STRATEGIES; ++i)
        if (fabs((double)attacker.right[i] - SETS * CHANCE) > 5 * deviation)
            fail_msg("%s: strategy %d names %llu of %d draws", problem, i,
                     (unsigned long long)attacker.right[i], SETS);
}

static void test_attack_fails_on_every_generator(void **state) {
    (void)state;
    static const struct {
        const char *problem, *stream;
        uint32_t tensor;
    } generators[] = {{"attention/fp32/b1/h1/s2/d2", "attention", 0},
                      {"attention/fp32/b1/h1/s2/d2/bias", "attention bias", 3},
                      {"gemm/fp32/m2/n2/k2", "gemm a", 0},
                      {"scale/fp32/n4", "scale x", 0}};
    struct dice secret, virtual = dice_of_seed(42);
    assert_int_equal(dice_make_secret(&secret, NULL), 0);
    const struct dice simulated = dice_child(&virtual, "worker", 0);
    for (size_t i = 0; i < sizeof generators / sizeof *generators; ++i) {
        const uint64_t stream = hash_text_u64(generators[i].stream);
        attack(generators[i].problem, generators[i].tensor, stream, &secret);
        attack(generators[i].problem, generators[i].tensor, stream, &simulated);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_attack_works_on_a_mixing_function),
        cmocka_unit_test(test_attack_fails_on_every_generator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
