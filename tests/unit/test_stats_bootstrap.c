// SPDX-License-Identifier: Apache-2.0
//
// The closed form of the bootstrap agrees with the golden data and with enumeration; literal resamples
// agree with NumPy bit for bit under two of its generators. The second generator (PCG64, default_rng(42))
// is in this file only: it shows that resampling does not depend on the first.
#include <errno.h>

#include "stats/bootstrap.h"
#include "stats/bootstrap_mt19937.h"
#include "stats/bootstrap_ratio.h"
#include "stats/float_order.h"
#include "test_stats_golden.h"

// numpy.random.default_rng(seed): PCG64 (XSL-RR 128/64) seeded by SeedSequence, 32-bit words low half first,
// bounded by Lemire's multiplication.
struct u128 {
    uint64_t hi;
    uint64_t lo;
};

struct pcg64 {
    struct u128 state;
    struct u128 increment;
    uint32_t spare;
    bool has_spare;
};

static struct u128 u128_add(struct u128 a, struct u128 b) {
    struct u128 sum = {a.hi + b.hi, a.lo + b.lo};

    sum.hi += sum.lo < a.lo ? 1u : 0u;
    return sum;
}

static struct u128 u128_mul(struct u128 a, struct u128 b) {
    uint64_t a0 = a.lo & 0xffffffffu, a1 = a.lo >> 32;
    uint64_t b0 = b.lo & 0xffffffffu, b1 = b.lo >> 32;
    uint64_t low = a0 * b0;
    uint64_t mid1 = a1 * b0 + (low >> 32);
    uint64_t mid2 = a0 * b1 + (mid1 & 0xffffffffu);

    return (struct u128){.hi = a1 * b1 + (mid1 >> 32) + (mid2 >> 32) + a.hi * b.lo + a.lo * b.hi,
                         .lo = (mid2 << 32) | (low & 0xffffffffu)};
}

static void pcg64_step(struct pcg64 *g) {
    const struct u128 multiplier = {2549297995355413924ull, 4865540595714422341ull};

    g->state = u128_add(u128_mul(g->state, multiplier), g->increment);
}

static uint32_t seed_hash(uint32_t value, uint32_t *constant) {
    value ^= *constant;
    *constant *= 0x931e8875u;
    value *= *constant;
    return value ^ (value >> 16);
}

static uint32_t seed_mix(uint32_t x, uint32_t y) {
    uint32_t mixed = 0xca01f9ddu * x - 0x4973f715u * y;

    return mixed ^ (mixed >> 16);
}

static void pcg64_init(struct pcg64 *g, uint32_t seed) {
    uint32_t pool[4];
    uint32_t words[8];
    uint32_t constant = 0x43b0d7e5u;

    for (unsigned i = 0; i < 4; ++i) pool[i] = seed_hash(i == 0 ? seed : 0, &constant);
    for (unsigned from = 0; from < 4; ++from)
        for (unsigned to = 0; to < 4; ++to)
            if (from != to) pool[to] = seed_mix(pool[to], seed_hash(pool[from], &constant));
    constant = 0x8b51f9ddu;
    for (unsigned i = 0; i < 8; ++i) {
        uint32_t value = pool[i % 4] ^ constant;

        constant *= 0x58f38dedu;
        value *= constant;
        words[i] = value ^ (value >> 16);
    }
    uint64_t w[4];
    for (unsigned i = 0; i < 4; ++i) w[i] = (uint64_t)words[2 * i + 1] << 32 | words[2 * i];
    g->increment = (struct u128){.hi = w[2] << 1 | w[3] >> 63, .lo = w[3] << 1 | 1u};
    g->state = (struct u128){0, 0};
    pcg64_step(g);
    g->state = u128_add(g->state, (struct u128){w[0], w[1]});
    pcg64_step(g);
    g->has_spare = false;
}

static uint32_t pcg64_next32(struct pcg64 *g) {
    if (g->has_spare) {
        g->has_spare = false;
        return g->spare;
    }
    pcg64_step(g);
    uint64_t folded = g->state.hi ^ g->state.lo;
    unsigned rotation = (unsigned)(g->state.hi >> 58);
    uint64_t word = folded >> rotation | folded << ((64 - rotation) & 63);
    g->spare = (uint32_t)(word >> 32);
    g->has_spare = true;
    return (uint32_t)word;
}

static uint32_t pcg64_below(void *context, uint32_t bound) {
    if (bound == 1) return 0;
    uint64_t product = (uint64_t)pcg64_next32(context) * bound;
    if ((uint32_t)product < bound) {
        uint32_t threshold = (UINT32_MAX - (bound - 1)) % bound;

        while ((uint32_t)product < threshold) product = (uint64_t)pcg64_next32(context) * bound;
    }
    return (uint32_t)(product >> 32);
}

static void check_side(const char *name, const json_t *values, const json_t *want) {
    struct interval got;
    struct pcg64 pcg;
    size_t n = 0;
    double *x = golden_numbers(values, &n);

    assert_int_equal(bootstrap_mt19937_interval(x, n, 42, &got), 0);
    expect_exact(name, "randomstate42 lo", got.lo, golden_at(want, "boot_ci_randomstate42", 0));
    expect_exact(name, "randomstate42 hi", got.hi, golden_at(want, "boot_ci_randomstate42", 1));
    pcg64_init(&pcg, 42);
    struct bootstrap_source source = {.below = pcg64_below, .context = &pcg};
    assert_int_equal(bootstrap_resample_interval(x, n, BOOTSTRAP_RESAMPLE_COUNT, source, &got), 0);
    expect_exact(name, "default_rng42 lo", got.lo, golden_at(want, "boot_ci_default_rng42", 0));
    expect_exact(name, "default_rng42 hi", got.hi, golden_at(want, "boot_ci_default_rng42", 1));

    float_order_sort(x, n);
    assert_int_equal(bootstrap_median_interval(x, n, NULL, &got), 0);
    expect_exact(name, "exact lo", got.lo, golden_at(want, "boot_ci_exact", 0));
    expect_exact(name, "exact hi", got.hi, golden_at(want, "boot_ci_exact", 1));
    free(x);
}

static void test_golden(void **state) {
    (void)state;
    json_t *root = golden_load();
    const json_t *pairs = golden_get(root, "pairs");

    for (size_t i = 0; i < json_array_size(pairs); ++i) {
        const json_t *pair = json_array_get(pairs, i);

        check_side(golden_name(pair), golden_get(pair, "a"), golden_get(pair, "A"));
        check_side(golden_name(pair), golden_get(pair, "b"), golden_get(pair, "B"));
    }
    json_decref(root);
}

// The verdict's question of whether the intervals are apart, with the intervals that the golden verdicts use.
static void test_golden_overlap(void **state) {
    (void)state;
    json_t *root = golden_load();
    const json_t *pairs = golden_get(root, "pairs");

    for (size_t i = 0; i < json_array_size(pairs); ++i) {
        const json_t *pair = json_array_get(pairs, i);
        struct interval side[2];

        for (size_t s = 0; s < 2; ++s) {
            const json_t *want = golden_get(pair, s == 0 ? "A" : "B");

            side[s].lo = golden_at(want, "boot_ci_randomstate42", 0);
            side[s].hi = golden_at(want, "boot_ci_randomstate42", 1);
        }
        bool is_overlap = json_is_true(golden_get(golden_get(pair, "spec_first_match"), "ci_overlap"));
        assert_int_equal(interval_is_disjoint(side[0], side[1]), !is_overlap);
    }
    json_decref(root);
}

static void test_golden_ratio(void **state) {
    (void)state;
    json_t *root = golden_load();
    const json_t *pairs = golden_get(root, "pairs");
    size_t checked = 0;

    for (size_t i = 0; i < json_array_size(pairs); ++i) {
        const json_t *pair = json_array_get(pairs, i);
        struct interval got;
        size_t n = 0;
        size_t m = 0;
        double *a = golden_numbers(golden_get(pair, "a"), &n);
        double *b = golden_numbers(golden_get(pair, "b"), &m);

        float_order_sort(a, n);
        float_order_sort(b, m);
        assert_int_equal(bootstrap_ratio_interval(a, n, b, m, NULL, &got), 0);
        assert_true(got.lo <= got.hi);
        if (json_object_get(pair, "median_ratio_boot_ci_exact") != NULL) {
            expect_rel(golden_name(pair), "ratio lo", got.lo,
                       golden_at(pair, "median_ratio_boot_ci_exact", 0), GOLDEN_REL);
            expect_rel(golden_name(pair), "ratio hi", got.hi,
                       golden_at(pair, "median_ratio_boot_ci_exact", 1), GOLDEN_REL);
            ++checked;
        }
        free(b);
        free(a);
    }
    assert_int_equal(checked, 38);
    json_decref(root);
}

static void expect_with_memory(const double *sorted, size_t n, struct bootstrap_median_memory *memory) {
    struct interval alone, again;

    assert_int_equal(bootstrap_median_interval(sorted, n, NULL, &alone), 0);
    assert_int_equal(bootstrap_median_interval(sorted, n, memory, &again), 0);
    assert_true(alone.lo == again.lo && alone.hi == again.hi);
}

// What is kept between calls changes no bit, whatever the numbers of samples before.
static void test_memory(void **state) {
    (void)state;
    static struct bootstrap_median_memory memory;
    json_t *root = golden_load();
    const json_t *pairs = golden_get(root, "pairs");

    for (size_t i = 0; i < json_array_size(pairs); ++i) {
        size_t n = 0;
        double *x = golden_numbers(golden_get(json_array_get(pairs, i), "a"), &n);

        float_order_sort(x, n);
        expect_with_memory(x, n, &memory);
        expect_with_memory(x, n - n / 4, &memory);
        expect_with_memory(x + n / 4, n - n / 4, &memory); // the same number, other values
        free(x);
    }
    json_decref(root);
}

// All n^n resamples of up to six values, without any formula.
static void test_enumeration(void **state) {
    (void)state;
    const double sets[][6] = {
        {1, 2, 4, 8, 16, 32}, {1, 1, 2, 3, 3, 9}, {1, 5, 5, 5, 5, 6}, {-4, -3, 0, 0.5, 2, 7}};

    for (size_t s = 0; s < 4; ++s) {
        for (size_t n = 1; n <= 6; ++n) {
            const double *x = sets[s];
            size_t total = 1;
            const double probes[] = {x[0] - 1, x[0], 1.5, 2, 3, 4.5, 5, 5.5, x[n - 1], x[n - 1] + 1};
            size_t below[10] = {0};

            for (size_t i = 0; i < n; ++i) total *= n;
            for (size_t code = 0; code < total; ++code) {
                double draw[6];
                size_t rest = code;

                for (size_t i = 0; i < n; i++, rest /= n) draw[i] = x[rest % n];
                float_order_sort(draw, n);
                double median = 0.5 * (draw[(n - 1) / 2] + draw[n / 2]);
                for (size_t k = 0; k < 10; ++k) below[k] += median <= probes[k];
            }
            for (size_t k = 0; k < 10; ++k)
                assert_true(fabs(bootstrap_median_cdf(x, n, probes[k]) - (double)below[k] / (double)total) <
                            1e-14);
        }
    }
}

// At sizes where powers and binomials would overflow: the distribution function is one, and brackets its
// quantiles.
static void test_large(void **state) {
    (void)state;
    size_t n = 100000;
    double *x = calloc(n, sizeof *x);
    struct interval got;

    assert_non_null(x);
    for (size_t i = 0; i < n; ++i) x[i] = 1.0 + (double)i;
    for (size_t odd = 0; odd < 2; ++odd) {
        size_t count = n - odd;

        assert_int_equal(bootstrap_median_interval(x, count, NULL, &got), 0);
        // Median -+ 1.96 sqrt(n) / 2.
        assert_true(fabs(got.lo - (50000.5 - 309.9)) < 2.0 && fabs(got.hi - (50000.5 + 309.9)) < 2.0);
        assert_true(bootstrap_median_cdf(x, count, got.lo) >= 0.025);
        assert_true(bootstrap_median_cdf(x, count, nextafter(got.lo, 0.0)) < 0.025);
        assert_true(bootstrap_median_cdf(x, count, got.hi) >= 0.975);
        assert_true(bootstrap_median_cdf(x, count, nextafter(got.hi, 0.0)) < 0.975);
        assert_true(bootstrap_median_cdf(x, count, 0.0) == 0.0);
        expect_rel("large", "cdf at max", bootstrap_median_cdf(x, count, x[count - 1]), 1.0, 1e-12);
    }
    free(x);
}

static void test_rejects(void **state) {
    (void)state;
    struct interval got = {-7.0, -7.0};
    const double unsorted[] = {2.0, 1.0};
    const double with_nan[] = {1.0, NAN};
    const double with_zero[] = {0.0, 1.0};
    const double fine[] = {1.0, 2.0};
    struct mt19937 mt;

    assert_int_equal(bootstrap_median_interval(fine, 0, NULL, &got), -EINVAL);
    assert_int_equal(bootstrap_median_interval(unsorted, 2, NULL, &got), -EINVAL);
    assert_int_equal(bootstrap_median_interval(with_nan, 2, NULL, &got), -EINVAL);
    assert_int_equal(bootstrap_ratio_interval(with_zero, 2, fine, 2, NULL, &got), -EINVAL);
    assert_int_equal(bootstrap_ratio_interval(fine, 2, with_zero, 2, NULL, &got), -EINVAL);
    assert_int_equal(bootstrap_ratio_interval(fine, 0, fine, 2, NULL, &got), -EINVAL);
    assert_int_equal(bootstrap_mt19937_interval(with_nan, 2, 42, &got), -EINVAL);
    assert_int_equal(bootstrap_mt19937_interval(fine, 0, 42, &got), -EINVAL);
    assert_int_equal(bootstrap_resample_interval(fine, 2, 0, (struct bootstrap_source){NULL, NULL}, &got),
                     -EINVAL);
    assert_true(got.lo == -7.0 && got.hi == -7.0);
    assert_true(isnan(bootstrap_median_cdf(fine, 0, 1.0)));
    assert_true(isnan(bootstrap_median_cdf(fine, 2, NAN)));
    mt19937_init(&mt, 42);
    assert_int_equal(mt19937_below(&mt, 1), 0);
    assert_int_equal(mt.used, 624); // nothing drawn
    mt19937_init(&mt, 5489);        // the reference implementation's default
    assert_int_equal(mt19937_next(&mt), 3499211612u);
    assert_int_equal(mt19937_next(&mt), 581869302u);
}

// The ratio of the candidate to the baseline: slower is above 1. Extreme magnitudes neither hang nor give
// NaN.
static void test_ratio_direction(void **state) {
    (void)state;
    const double base[] = {1.0, 1.01, 1.02};
    const double cand[] = {1.2, 1.21, 1.22};
    const double tiny[] = {1e-300, 2e-300};
    const double huge[] = {1e300, 2e300};
    struct interval got;

    assert_int_equal(bootstrap_ratio_interval(base, 3, cand, 3, NULL, &got), 0);
    assert_true(got.lo > 1.0 && got.hi > got.lo);
    assert_int_equal(bootstrap_ratio_interval(cand, 3, base, 3, NULL, &got), 0);
    assert_true(got.hi < 1.0);
    assert_int_equal(bootstrap_ratio_interval(tiny, 2, huge, 2, NULL, &got), 0);
    assert_true(got.lo > 1e300 && got.hi >= got.lo);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),          cmocka_unit_test(test_golden_overlap),
        cmocka_unit_test(test_golden_ratio),    cmocka_unit_test(test_enumeration),
        cmocka_unit_test(test_large),           cmocka_unit_test(test_rejects),
        cmocka_unit_test(test_ratio_direction), cmocka_unit_test(test_memory),
    };

    return cmocka_run_group_tests_name("stats bootstrap", tests, NULL, NULL);
}
