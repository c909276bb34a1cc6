// SPDX-License-Identifier: Apache-2.0
//
// The judge's draws and the words of inputs are the published cipher's; draws are even, children are
// unrelated.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <nettle/chacha.h>

#include "base/dice.h"
#include "device/device_random.h"
#include "op/seed_stream.h"

static void check_hex(const void *bytes, const char *hex) {
    for (size_t i = 0; i < strlen(hex) / 2; ++i) {
        const char digits[3] = {hex[2 * i], hex[2 * i + 1], 0};
        assert_int_equal(((const unsigned char *)bytes)[i], strtoul(digits, NULL, 16));
    }
}

// Key and nonce 0, block 0 of ChaCha20: RFC 8439, A.1, test vector 1. Block 1: test vector 2.
static void test_draws_are_chacha20(void **state) {
    (void)state;
    struct dice dice = dice_of_seed(0);
    uint64_t words[2 * DICE_WORDS];
    for (int i = 0; i < 2 * DICE_WORDS; ++i) words[i] = dice_u64(&dice);
    check_hex(
        words,
        "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7da41597c5157488d7724e03fb8d84a37"
        "6a43b8f41518a11cc387b669b2ee65869f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed"
        "29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f");
}

// draft-strombergson-chacha-test-vectors-01, 256-bit keys, 8 rounds: TC1 (key 0), TC2 (key 1).
static void test_input_words_are_chacha8(void **state) {
    (void)state;
    static const char *const expected[] = {
        "3e00ef2f895f40d67f5bb8e81f09a5a12c840ec3ce9a7f3b181be188ef711a1e984ce172b9216f419f445367456d5619"
        "314a42a3da86b001387bfdb80e0cfe42",
        "cf5ee9a0494aa9613e05d5ed725b804b12f4a465ee635acc3a311de8740489ea289d04f43c7518db56eb4433e498a123"
        "8cd8464d3763ddbb9222ee3bd8fae3c8"};
    for (uint64_t seed = 0; seed < 2; ++seed) {
        uint32_t words[DEV_RANDOM_WORDS];
        struct dev_random random = dev_random_make(seed, 0);
        for (uint64_t i = 0; i < DEV_RANDOM_WORDS; ++i) words[i] = dev_random_word(&random, i);
        check_hex(words, expected[seed]);
    }
}

// The same function with 20 rounds is the library's, for any key, nonce and counter.
static void test_rounds_are_the_librarys(void **state) {
    (void)state;
    for (uint64_t k = 1; k < 200; ++k) {
        uint32_t seen[DEV_RANDOM_WORDS], at[DEV_RANDOM_WORDS];
        unsigned char key[CHACHA_KEY_SIZE] = {0}, nonce[CHACHA_NONCE_SIZE], expected[CHACHA_BLOCK_SIZE];
        static const unsigned char zeros[CHACHA_BLOCK_SIZE];
        const uint64_t seed = k * 0x9e3779b97f4a7c15u, stream = ~seed, number = seed << 7;
        struct chacha_ctx context;
        memcpy(key, &seed, sizeof seed);
        memcpy(nonce, &stream, sizeof nonce);
        chacha_set_key(&context, key);
        chacha_set_nonce(&context, nonce);
        context.state[12] = (uint32_t)number, context.state[13] = (uint32_t)(number >> 32);
        chacha_crypt(&context, sizeof expected, expected, zeros);
        dev_random_state(seed, stream, number, at);
        dev_chacha_block(at, 20, seen);
        assert_memory_equal(seen, expected, sizeof seen);
    }
}

static void test_draws_are_even(void **state) {
    (void)state;
    enum { BOUND = 7, COUNT = 70000 };
    struct dice dice = dice_of_seed(42);
    int counts[BOUND] = {0};
    double sum = 0;
    for (int i = 0; i < COUNT; ++i) {
        ++counts[dice_below(&dice, BOUND)];
        const double uniform = dice_uniform(&dice);
        assert_true(uniform >= 0 && uniform < 1);
        sum += uniform;
    }
    for (int i = 0; i < BOUND; ++i)
        assert_true(abs(counts[i] - COUNT / BOUND) < 500); // five standard deviations
    assert_true(fabs(sum / COUNT - 0.5) < 5 * sqrt(1.0 / 12 / COUNT));
    assert_int_equal(dice_below(&dice, 1), 0);
}

static void test_children(void **state) {
    (void)state;
    struct dice parent = dice_of_seed(7);
    struct dice first = dice_child(&parent, "case", 1);
    (void)dice_u64(&parent); // what was drawn before does not matter
    struct dice again = dice_child(&parent, "case", 1), second = dice_child(&parent, "case", 2);
    struct dice other = dice_child(&parent, "worker", 1), own = dice_of_seed(7);
    const uint64_t word = dice_u64(&first);
    assert_true(word == dice_u64(&again));
    assert_true(word != dice_u64(&second) && word != dice_u64(&other) && word != dice_u64(&own));
    struct dice copy = parent;
    assert_true(dice_u64(&copy) == dice_u64(&parent));
}

static void test_secrets(void **state) {
    (void)state;
    struct dice a, b;
    char hex_a[DICE_HEX_BYTES], hex_b[DICE_HEX_BYTES];
    assert_int_equal(dice_make_secret(&a, NULL), 0);
    assert_int_equal(dice_make_secret(&b, NULL), 0);
    dice_key_hex(&a, hex_a);
    dice_key_hex(&b, hex_b);
    assert_int_equal(strlen(hex_a), 2 * DICE_KEY_BYTES);
    assert_string_not_equal(hex_a, hex_b);
    check_hex(a.key, hex_a);
}

static void test_seed_draws(void **state) {
    (void)state;
    assert_true(seed_child(1, "a", 0) == seed_child(1, "a", 0));
    assert_true(seed_child(1, "a", 0) != seed_child(1, "a", 1));
    assert_true(seed_child(1, "a", 0) != seed_child(1, "b", 0));
    assert_true(seed_child(1, "a", 0) != seed_child(2, "a", 0));
    for (uint64_t i = 0; i < 100; ++i) assert_true(seed_below(3, "row", i, 5) < 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_draws_are_chacha20),
        cmocka_unit_test(test_input_words_are_chacha8),
        cmocka_unit_test(test_rounds_are_the_librarys),
        cmocka_unit_test(test_draws_are_even),
        cmocka_unit_test(test_children),
        cmocka_unit_test(test_secrets),
        cmocka_unit_test(test_seed_draws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
