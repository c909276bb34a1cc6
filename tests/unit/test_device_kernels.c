// SPDX-License-Identifier: Apache-2.0
//
// Device kernels, run on the CPU with the arithmetic of the GPU's, compared with the host's own functions:
// conversions over every pattern and around every rounding boundary, comparisons with tensor_compare,
// memory kernels byte by byte at odd addresses and lengths.
#include <math.h>

#include "base/rng.h"
#include "device/device_random.h"
#include "fakes/device_host.h"
#include "op/dtype.h"
#include "op/random_normal.h"
#include "op_buffers.h"
#include "worker/check/tensor_compare.h"

static void run(const char *entry, uint32_t blocks, uint32_t threads, const void *args) {
    const uint32_t grid[3] = {blocks, 1, 1};
    assert_int_equal(dev_run_on_host(entry, grid, threads, args), 0);
}

// ---- elements ----

static void check_store(int32_t dtype, double value) {
    uint64_t expected = 0, got = 0;
    dtype_store(dtype, &expected, value);
    dev_store(dtype, &got, 0, value);
    if (expected != got)
        fail_msg("%s of %a: %#llx, expected %#llx", dtype_name(dtype), value, (unsigned long long)got,
                 (unsigned long long)expected);
}

static void check_round(int32_t dtype, float value) {
    uint64_t code = 0;
    dtype_store(dtype, &code, (double)value);
    const double expected = dtype_load(dtype, &code), got = (double)dev_round(dtype, value);
    if (isnan(expected) ? !isnan(got) : dev_bits(expected) != dev_bits(got))
        fail_msg("%s rounds %a to %a, expected %a", dtype_name(dtype), (double)value, got, expected);
}

// A value, its neighbours as double and as float, and their negatives.
static void check_around(int32_t dtype, double value) {
    const bool has_round = dtype == ASSAY_FP16 || dtype == ASSAY_BF16 || dtype == ASSAY_FP8_E4M3;
    const double near[] = {value, nextafter(value, -INFINITY), nextafter(value, INFINITY)};
    for (size_t i = 0; i < 3; ++i) check_store(dtype, near[i]), check_store(dtype, -near[i]);
    const float nearly[] = {(float)value, nextafterf((float)value, -INFINITY),
                            nextafterf((float)value, INFINITY)};
    for (size_t i = 0; i < 3 && has_round; ++i) check_round(dtype, nearly[i]), check_round(dtype, -nearly[i]);
}

// Every code loads as the host loads it; every code's value, and the middle to the next one, store as the
// host stores them.
static void test_every_code(void **state) {
    (void)state;
    const int32_t dtypes[] = {ASSAY_FP16,  ASSAY_BF16,  ASSAY_FP8_E4M3, ASSAY_FP8_E5M2,   ASSAY_INT8,
                              ASSAY_UINT8, ASSAY_INT16, ASSAY_BOOL,     ASSAY_FP4_E2M1X2, ASSAY_E8M0};
    for (size_t t = 0; t < sizeof dtypes / sizeof *dtypes; ++t) {
        const uint64_t count = UINT64_C(1) << (8 * dtype_bytes(dtypes[t]));
        for (uint64_t code = 0; code < count; ++code) {
            const uint64_t next_code = code + 1;
            const double value = dtype_load(dtypes[t], &code), next = dtype_load(dtypes[t], &next_code);
            const double got = dev_load(dtypes[t], &code, 0);
            assert_true(isnan(value) ? isnan(got) : dev_bits(value) == dev_bits(got));
            if (isnan(value)) continue;
            check_around(dtypes[t], value);
            if (isfinite(value) && isfinite(next)) check_around(dtypes[t], value / 2 + next / 2);
        }
    }
}

static void test_special_values(void **state) {
    (void)state;
    const int32_t dtypes[] = {ASSAY_FP16, ASSAY_BF16, ASSAY_FP8_E4M3, ASSAY_FP8_E5M2,
                              ASSAY_FP32, ASSAY_FP64, ASSAY_E8M0};
    const double values[] = {0.0,        (double)NAN,    INFINITY, 0x1p-1074,  0x1p-149,   0x1p-150,
                             0x1.8p-150, 0x1p-133,       65520.0,  65519.9999, 448.0,      464.0,
                             480.0,      1e300,          0x1p128,  0x1p-1022,  2147483647, 0x1p-9,
                             0x1p-10,    0x1.ffffffp127, 2.5};
    for (size_t t = 0; t < sizeof dtypes / sizeof *dtypes; ++t)
        for (size_t i = 0; i < sizeof values / sizeof *values; ++i) {
            check_store(dtypes[t], values[i]);
            check_store(dtypes[t], -values[i]);
            check_store(dtypes[t], nextafter(values[i], 0));
        }
    for (uint64_t i = 0; i < 20000; ++i) { // any bits at all, NaN of every payload among them
        const uint64_t bits = rng_u64(1, 2, i);
        const double value = dev_double(bits), narrow = (double)dev_float((uint32_t)bits);
        for (size_t t = 0; t < sizeof dtypes / sizeof *dtypes; ++t)
            check_store(dtypes[t], value), check_store(dtypes[t], narrow);
    }
    const double integers[] = {2.5,           3.5,         -2.5, 127.5, -128.5, 2147483647.4, 1e10,  -1e10,
                               -2147483648.0, (double)NAN, 1e19, -1e19, 0x1p53, -0x1p63,      0x1p63};
    const int32_t integer_dtypes[] = {ASSAY_INT8,  ASSAY_INT32, ASSAY_INT64,     ASSAY_UINT8,
                                      ASSAY_INT16, ASSAY_BOOL,  ASSAY_FP4_E2M1X2};
    for (size_t t = 0; t < sizeof integer_dtypes / sizeof *integer_dtypes; ++t)
        for (size_t i = 0; i < sizeof integers / sizeof *integers; ++i)
            check_store(integer_dtypes[t], integers[i]);
}

// ---- random values ----

static void test_random_values(void **state) {
    (void)state;
    struct normal_source source;
    normal_source_init(&source, 42, 7);
    struct dev_random random = dev_random_make(42, 7);
    for (uint64_t i = 0; i < 1000; ++i) {
        double expected;
        normal_row(&source, i, 1, &expected);
        assert_true(dev_deviate(source.table->edge, dev_random_word(&random, i)) == expected);
        const double uniform = dev_random_uniform(&random, i);
        assert_true(uniform >= 0 && uniform < 1);
    }
    normal_source_init(&source, 42, 7); // far on, where a block's number has more than 32 bits
    const uint64_t far = (UINT64_C(1) << 37) - 200;
    for (uint64_t i = far; i < far + 400; ++i) {
        double expected;
        normal_row(&source, i, 1, &expected);
        assert_true(dev_deviate(source.table->edge, dev_random_word(&random, i)) == expected);
    }
}

// ---- memory ----

#define AREA 300

static void fill_bytes(uint8_t *bytes, size_t count) {
    for (size_t i = 0; i < count; ++i) bytes[i] = (uint8_t)rng_u64(3, 1, i);
}

static void test_pattern_and_gather(void **state) {
    (void)state;
    const uint64_t pattern = UINT64_C(0x0807060504030201);
    for (uint64_t shift = 0; shift < 17; ++shift)
        for (uint64_t bytes = 0; bytes < 70; bytes += 7) {
            uint8_t area[AREA] = {0};
            const struct dev_pattern args = {.data = area + shift, .bytes = bytes, .pattern = pattern};
            run("assay_pattern", 3, 32, &args);
            for (uint64_t i = 0; i < AREA - shift; ++i)
                assert_int_equal(area[shift + i], i < bytes ? i % 8 + 1 : 0);
        }
    // What the device stores 16 bytes at a time is the same pattern.
    for (uint64_t first = 0; first < 20; ++first)
        for (uint64_t i = 0; i < 8; ++i)
            assert_int_equal((uint8_t)(dev_pattern_word(pattern, first) >> (8 * i)),
                             dev_pattern_byte(pattern, first + i));
}

static void hash_of(const void *data, uint64_t bytes, uint64_t sums[2]) {
    sums[0] = sums[1] = 0;
    const struct dev_hash args = {.data = data, .bytes = bytes, .sums = sums};
    run("assay_hash", 4, 64, &args);
}

static void assert_hashes_differ(const uint8_t *a, uint64_t a_bytes, const uint8_t *b, uint64_t b_bytes) {
    uint64_t first[2], second[2];
    hash_of(a, a_bytes, first);
    hash_of(b, b_bytes, second);
    assert_int_not_equal(first[0], second[0]);
    assert_int_not_equal(first[1], second[1]);
}

static void test_hash_sees_every_change(void **state) {
    (void)state;
    uint8_t a[AREA], b[AREA + 1];
    uint64_t first[2], second[2];
    fill_bytes(a, AREA);
    memcpy(b + 1, a, AREA); // other address, same bytes
    hash_of(a, AREA, first);
    hash_of(b + 1, AREA, second);
    assert_memory_equal(first, second, sizeof first);
    for (size_t i = 0; i < AREA; ++i)
        for (int bit = 0; bit < 8; bit += 7) {
            b[1 + i] ^= (uint8_t)(1 << bit);
            assert_hashes_differ(a, AREA, b + 1, AREA);
            b[1 + i] ^= (uint8_t)(1 << bit);
        }
    for (size_t i = 8; i + 8 <= AREA; i += 8) { // words swapped
        memcpy(b + 1, a + i, 8);
        memcpy(b + 1 + i, a, 8);
        assert_hashes_differ(a, AREA, b + 1, AREA);
        memcpy(b + 1, a, AREA);
    }
    memset(a, 0, AREA);
    assert_hashes_differ(a, 7, a, 8);
    assert_hashes_differ(a, 0, a, 8);
}

static void test_find_difference(void **state) {
    (void)state;
    uint8_t a[AREA], b[AREA];
    fill_bytes(a, AREA);
    memcpy(b, a, AREA);
    for (size_t place = 0; place < AREA; place += 13) {
        uint64_t first = UINT64_MAX;
        const struct dev_find_difference args = {.a = a, .b = b, .bytes = AREA, .first = &first};
        run("assay_find_difference", 2, 32, &args);
        assert_true(first == UINT64_MAX);
        b[place] ^= 1, b[AREA - 1] ^= 2;
        run("assay_find_difference", 2, 32, &args);
        assert_int_equal(first, place);
        memcpy(b, a, AREA);
    }
}

static void test_find_unlike(void **state) {
    (void)state;
    uint8_t area[AREA];
    memset(area, 0xa5, AREA);
    area[100] = 0, area[107] = 1;
    const struct dev_region regions[] = {{area, 100}, {area + 90, 50}, {area + 101, 90}, {area, 0}};
    uint64_t first[4] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
    const struct dev_find_unlike args = {.regions = regions, .first = first, .region_count = 4, .byte = 0xa5};
    run("assay_find_unlike", 4, 128, &args);
    assert_true(first[0] == UINT64_MAX && first[3] == UINT64_MAX);
    assert_int_equal(first[1], 10);
    assert_int_equal(first[2], 6);
}

static void test_poke_and_peek(void **state) {
    (void)state;
    uint8_t area[64] = {0};
    const uint32_t sizes[] = {1, 2, 4, 8};
    struct dev_place places[4];
    uint64_t values[4];
    for (uint32_t i = 0; i < 4; ++i)
        places[i] = (struct dev_place){
            .data = area + 16 * i, .value = UINT64_C(0xf1f2f3f4f5f6f7f8), .bytes = sizes[i]};
    run("assay_poke", 1, 32, &(struct dev_poke){.places = places, .place_count = 4});
    run("assay_peek", 1, 32, &(struct dev_peek){.places = places, .values = values, .place_count = 4});
    assert_int_equal(values[0], 0xf8);
    assert_int_equal(values[1], 0xf7f8);
    assert_int_equal(values[2], 0xf5f6f7f8);
    assert_true(values[3] == UINT64_C(0xf1f2f3f4f5f6f7f8));
    assert_int_equal(area[1], 0);
    assert_int_equal(area[18], 0);
}

// ---- comparison ----

#define COUNT 5000

struct compared {
    struct tensor_verdict host;
    struct dev_compare_part device;
    float out[COUNT];
    double reference[COUNT];
};

static void compare_both(struct compared *c) {
    struct assay_tensor tensor = {.role = ASSAY_Y,
                                  .access = ASSAY_OUT,
                                  .dtype = ASSAY_FP32,
                                  .dim_count = 2,
                                  .shape = {50, COUNT / 50},
                                  .stride = {COUNT / 50, 1},
                                  .data = c->out};
    const struct op_tolerance tolerance = {
        .atol = 1e-3, .rtol = 1e-2, .min_pass_fraction = 1.0, .rel_l2_max = INFINITY};
    const struct assay_cpu_stream stream = {sizeof stream, 2, parallel_two};
    tensor_compare(&tensor, c->reference, &tolerance, POISON_OUTPUT, &stream, &c->host);
    struct dev_compare_part parts[8];
    const struct dev_compare args = {.out = c->out,
                                     .reference = c->reference,
                                     .parts = parts,
                                     .count = COUNT,
                                     .chunk = 700,
                                     .poison = poison_bits(ASSAY_FP32, POISON_OUTPUT),
                                     .atol = tolerance.atol,
                                     .rtol = tolerance.rtol,
                                     .dtype = ASSAY_FP32};
    run("assay_compare", 8, 96, &args);
    c->device = parts[0];
    for (int i = 1; i < 8; ++i) dev_compare_merge(&c->device, &parts[i]);
}

static void compared_init(struct compared *c) {
    for (uint64_t i = 0; i < COUNT; ++i) {
        c->reference[i] = rng_normal(1, 1, i);
        c->out[i] = (float)(c->reference[i] + 1e-4 * rng_normal(1, 2, i));
    }
}

static void assert_near(double a, double b) {
    if (!(fabs(a - b) <= 1e-12 * fabs(b))) fail_msg("%.17g is not %.17g", a, b);
}

static void assert_same_verdict(const struct compared *c) {
    const struct tensor_verdict *host = &c->host;
    const struct dev_compare_part *part = &c->device;
    assert_true(part->unwritten == host->unwritten_count);
    assert_true(part->not_number == host->not_number_count);
    assert_true(part->first_failed == host->first_failed);
    assert_true(part->first_unwritten == host->first_unwritten);
    assert_true(part->first_not_number == host->first_not_number);
    assert_true(part->failed == 0 ? host->is_passed : !host->is_passed);
    assert_near(part->max_abs, host->error.max_abs);
    assert_near(part->sum_abs / (double)part->numbers, host->error.mean_abs);
    assert_near(sqrt(part->sum_sq / (double)part->numbers), host->error.rms);
    assert_near(sqrt(part->sum_sq) / sqrt(part->sum_ref_sq), host->error.rel_l2);
}

static void test_compare_as_the_host(void **state) {
    (void)state;
    static struct compared c;
    compared_init(&c);
    compare_both(&c);
    assert_same_verdict(&c);
    assert_int_equal(c.device.failed, 0);
    assert_int_equal(c.device.numbers, COUNT);

    const uint32_t poison = (uint32_t)poison_bits(ASSAY_FP32, POISON_OUTPUT);
    memcpy(&c.out[4321], &poison, 4); // unwritten
    memcpy(&c.out[4000], &poison, 4); // unwritten, and right: the reference is NaN
    c.reference[4000] = (double)NAN;
    c.out[3000] = NAN;                                     // not a number
    c.out[2999] = INFINITY, c.reference[2999] = -INFINITY; // the other infinity
    c.out[2998] = INFINITY, c.reference[2998] = INFINITY;  // right
    c.out[1234] += 1;                                      // wrong
    compare_both(&c);
    assert_same_verdict(&c);
    assert_int_equal(c.device.failed, 4);
    assert_int_equal(c.device.unwritten, 1);
    assert_int_equal(c.device.not_number, 2);
    assert_int_equal(c.device.first_failed, 1234);
    assert_int_equal(c.device.worst_index, 1234);
    assert_int_equal(c.device.numbers, COUNT - 5 + 0);
}

static void test_compare_skips(void **state) {
    (void)state;
    static struct compared c;
    compared_init(&c);
    for (uint64_t i = 0; i < COUNT; ++i)
        if (i % 3) c.reference[i] = dev_double(DEV_SKIP_BITS), c.out[i] = NAN;
    compare_both(&c);
    assert_int_equal(c.device.failed, 0);
    assert_int_equal(c.device.compared, (COUNT + 2) / 3);
    assert_int_equal(c.device.numbers, (COUNT + 2) / 3);
    assert_int_equal(c.device.skipped, COUNT - (COUNT + 2) / 3);
    assert_int_equal(c.device.worst_index % 3, 0);
}

// Equal errors: the earliest is the worst, however the elements are spread over blocks.
static void test_compare_worst_is_first(void **state) {
    (void)state;
    static struct compared c;
    for (uint64_t i = 0; i < COUNT; ++i) c.reference[i] = 1, c.out[i] = 1;
    c.out[4700] = c.out[777] = c.out[778] = 3;
    compare_both(&c);
    assert_int_equal(c.device.worst_index, 777);
    assert_int_equal(c.device.first_failed, 777);
    assert_int_equal(c.device.failed, 3);
}

// ---- clocks ----

static void test_spin_and_stamp(void **state) {
    (void)state;
    struct dev_stamp_value stamps[4];
    run("assay_spin", 1, 1, &(struct dev_spin){.stamps = stamps, .duration_ns = 1000000});
    assert_int_equal(stamps[1].ns - stamps[0].ns, 1000000);
    assert_near((double)(stamps[1].cycles - stamps[0].cycles) / 1e-3, dev_host_clock_hz);
    run("assay_stamp", 4, 32, &(struct dev_stamp){.stamps = stamps});
    assert_int_equal(stamps[3].sm, 3);
    const uint32_t grid[3] = {1, 1, 1};
    assert_int_equal(dev_run_on_host("assay_nothing", grid, 1, NULL), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_code),
        cmocka_unit_test(test_special_values),
        cmocka_unit_test(test_random_values),
        cmocka_unit_test(test_pattern_and_gather),
        cmocka_unit_test(test_hash_sees_every_change),
        cmocka_unit_test(test_find_difference),
        cmocka_unit_test(test_find_unlike),
        cmocka_unit_test(test_poke_and_peek),
        cmocka_unit_test(test_compare_as_the_host),
        cmocka_unit_test(test_compare_skips),
        cmocka_unit_test(test_compare_worst_is_first),
        cmocka_unit_test(test_spin_and_stamp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
