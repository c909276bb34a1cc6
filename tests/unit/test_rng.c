// SPDX-License-Identifier: Apache-2.0
//
// Random numbers are a pure function of seed, stream and index, and evenly spread; hashes are the published
// ones.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "base/rng.h"

static void test_pure(void **state) {
    (void)state;
    assert_true(rng_u64(1, 2, 3) == rng_u64(1, 2, 3));
    assert_true(rng_u64(1, 2, 3) != rng_u64(1, 2, 4));
    assert_true(rng_u64(1, 2, 3) != rng_u64(1, 3, 2));
    assert_true(rng_u64(1, 2, 3) != rng_u64(2, 1, 3));
    assert_true(rng_stream("query") != rng_stream("key"));
}

// Means and variances within five standard errors, over neighbouring indices, streams and seeds.
static void test_spread(void **state) {
    (void)state;
    enum { COUNT = 100000 };
    for (int along = 0; along < 3; ++along) {
        double sum = 0, sum_normal = 0, sum_squares = 0;
        for (uint64_t i = 0; i < COUNT; ++i) {
            uint64_t seed = along == 0 ? i : 1, stream = along == 1 ? i : 2, index = along == 2 ? i : 3;
            double uniform = rng_uniform(seed, stream, index), normal = rng_normal(seed, stream, index);
            assert_true(uniform >= 0 && uniform < 1);
            assert_true(isfinite(normal));
            sum += uniform;
            sum_normal += normal;
            sum_squares += normal * normal;
        }
        assert_true(fabs(sum / COUNT - 0.5) < 5 * sqrt(1.0 / 12 / COUNT));
        assert_true(fabs(sum_normal / COUNT) < 5 * sqrt(1.0 / COUNT));
        assert_true(fabs(sum_squares / COUNT - 1) < 5 * sqrt(2.0 / COUNT));
    }
}

static void test_below(void **state) {
    (void)state;
    enum { BOUND = 7, COUNT = 70000 };
    int counts[BOUND] = {0};
    for (uint64_t i = 0; i < COUNT; ++i) counts[rng_below(1, 2, i, BOUND)]++;
    for (int i = 0; i < BOUND; ++i)
        assert_true(abs(counts[i] - COUNT / BOUND) < 500); // five standard deviations
    assert_int_equal(rng_below(1, 2, 3, 1), 0);
    // A bound just above 2^63 refuses nearly half of the words.
    for (uint64_t i = 0; i < 1000; ++i)
        assert_true(rng_below(1, 2, i, ((uint64_t)1 << 63) + 1) <= (uint64_t)1 << 63);
}

static void test_shuffle(void **state) {
    (void)state;
    enum { COUNT = 100 };
    uint32_t items[COUNT];
    for (uint32_t i = 0; i < COUNT; ++i) items[i] = i;
    rng_shuffle(items, COUNT, 5, 6);
    bool seen[COUNT] = {false};
    uint32_t in_place = 0;
    for (uint32_t i = 0; i < COUNT; ++i) {
        assert_false(seen[items[i]]);
        seen[items[i]] = true;
        in_place += items[i] == i;
    }
    assert_true(in_place < 10);
    rng_shuffle(items, 0, 1, 1);
}

// The digests that xxhsum -H2 prints.
static void test_hashes(void **state) {
    (void)state;
    char hex[HASH_HEX_BYTES], again[HASH_HEX_BYTES];
    hash_bytes_hex("", 0, hex);
    assert_string_equal(hex, "99aa06d3014798d86001c324468d497f");
    struct hash_state *hash = hash_new();
    hash_add(hash, "hel", 3);
    hash_add(hash, "lo", 2);
    hash_take_hex(hash, hex);
    hash_bytes_hex("hello", 5, again);
    assert_string_equal(hex, again);
    hash = hash_new();
    hash_add_text(hash, "ab");
    hash_add_text(hash, "c");
    hash_take_hex(hash, hex);
    hash = hash_new();
    hash_add_text(hash, "a");
    hash_add_text(hash, "bc");
    hash_take_hex(hash, again);
    assert_string_not_equal(hex, again);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pure),    cmocka_unit_test(test_spread), cmocka_unit_test(test_below),
        cmocka_unit_test(test_shuffle), cmocka_unit_test(test_hashes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
