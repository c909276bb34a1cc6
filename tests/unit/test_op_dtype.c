// SPDX-License-Identifier: Apache-2.0
//
// Element types are converted exactly: every code of the 8- and 16-bit types is compared with the formula
// of its format, and rounding is tried at, and next to, every midpoint between two codes.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "op/dtype.h"

static const int32_t narrow[] = {ASSAY_FP16, ASSAY_BF16, ASSAY_FP8_E4M3, ASSAY_FP8_E5M2};

struct format {
    int bits, fraction_bits, bias;
};

static struct format format_of(int32_t dtype) {
    if (dtype == ASSAY_FP16) return (struct format){16, 10, 15};
    if (dtype == ASSAY_BF16) return (struct format){16, 7, 127};
    if (dtype == ASSAY_FP8_E5M2) return (struct format){8, 2, 15};
    return (struct format){8, 3, 7};
}

// The value of a code by the textbook.
static double formula(int32_t dtype, unsigned code) {
    const struct format f = format_of(dtype);
    const unsigned sign = code >> (f.bits - 1), magnitude = code & ((1U << (f.bits - 1)) - 1);
    const int exponent = (int)(magnitude >> f.fraction_bits),
              exponent_max = (1 << (f.bits - 1 - f.fraction_bits)) - 1;
    const unsigned fraction = magnitude & ((1U << f.fraction_bits) - 1);
    double value;
    if (dtype == ASSAY_FP8_E4M3 && magnitude == 0x7f)
        value = NAN;
    else if (dtype != ASSAY_FP8_E4M3 && exponent == exponent_max)
        value = fraction ? NAN : INFINITY;
    else if (exponent == 0)
        value = ldexp(fraction, 1 - f.bias - f.fraction_bits);
    else
        value = ldexp(1.0 + ldexp(fraction, -f.fraction_bits), exponent - f.bias);
    return sign ? -value : value;
}

static unsigned store(int32_t dtype, double value) {
    uint16_t code16 = 0xdead;
    uint8_t code8 = 0xad;
    if (dtype_bytes(dtype) == 1) {
        dtype_store(dtype, &code8, value);
        return code8;
    }
    dtype_store(dtype, &code16, value);
    return code16;
}

static double load(int32_t dtype, unsigned code) {
    const uint16_t code16 = (uint16_t)code;
    const uint8_t code8 = (uint8_t)code;
    return dtype_bytes(dtype) == 1 ? dtype_load(dtype, &code8) : dtype_load(dtype, &code16);
}

static unsigned finite_max(int32_t dtype) {
    return dtype == ASSAY_FP16       ? 0x7bff
           : dtype == ASSAY_BF16     ? 0x7f7f
           : dtype == ASSAY_FP8_E5M2 ? 0x7b
                                     : 0x7e;
}

static void test_every_code_reads_by_the_formula(void **state) {
    (void)state;
    for (size_t t = 0; t < sizeof narrow / sizeof narrow[0]; ++t)
        for (unsigned code = 0; code < 1U << format_of(narrow[t]).bits; ++code) {
            const double expected = formula(narrow[t], code), got = load(narrow[t], code);
            if (isnan(expected)) {
                if (!isnan(got)) fail_msg("%s code %x: %g is not NaN", dtype_name(narrow[t]), code, got);
                assert_true(isnan(load(narrow[t], store(narrow[t], got))));
                continue;
            }
            if (memcmp(&expected, &got, sizeof got) != 0)
                fail_msg("%s code %x: expected %a, got %a", dtype_name(narrow[t]), code, expected, got);
            assert_int_equal(store(narrow[t], got), code);
        }
}

static void test_rounding_at_every_midpoint(void **state) {
    (void)state;
    for (size_t t = 0; t < sizeof narrow / sizeof narrow[0]; ++t) {
        const unsigned sign = 1U << (format_of(narrow[t]).bits - 1);
        for (unsigned code = 0; code < finite_max(narrow[t]); ++code) {
            const double low = formula(narrow[t], code), high = formula(narrow[t], code + 1);
            const double middle = (low + high) / 2;
            const unsigned even = code & 1 ? code + 1 : code;
            assert_int_equal(store(narrow[t], middle), even);
            assert_int_equal(store(narrow[t], -middle), even | sign);
            assert_int_equal(store(narrow[t], nextafter(middle, 0)), code);
            assert_int_equal(store(narrow[t], nextafter(middle, INFINITY)), code + 1);
            assert_int_equal(store(narrow[t], nextafter(high, 0)), code + 1);
        }
    }
}

static void test_overflow(void **state) {
    (void)state;
    assert_int_equal(store(ASSAY_FP16, 65519.9), 0x7bff);
    assert_int_equal(store(ASSAY_FP16, 65520), 0x7c00); // the tie rounds to infinity
    assert_int_equal(store(ASSAY_FP16, -1e300), 0xfc00);
    assert_int_equal(store(ASSAY_FP16, INFINITY), 0x7c00);
    assert_int_equal(store(ASSAY_BF16, -INFINITY), 0xff80);
    assert_int_equal(store(ASSAY_BF16, 3.4e38), 0x7f80); // above the largest number by more than half a step
    assert_int_equal(store(ASSAY_FP8_E4M3, 449), 0x7e);
    assert_int_equal(store(ASSAY_FP8_E4M3, 1e10), 0x7e);
    assert_int_equal(store(ASSAY_FP8_E4M3, -INFINITY), 0xfe);
    assert_int_equal(store(ASSAY_FP8_E5M2, 61439.9), 0x7b);
    assert_int_equal(store(ASSAY_FP8_E5M2, 61440), 0x7c); // the tie rounds to infinity
    assert_int_equal(store(ASSAY_FP8_E5M2, -INFINITY), 0xfc);
    assert_int_equal(store(ASSAY_FP16, 1e-300), 0);
    assert_int_equal(store(ASSAY_FP16, -0.0), 0x8000);
}

static void test_wide_types(void **state) {
    (void)state;
    const double values[] = {0, 1, -1.5, 1e-40, 3.4e38, 1e39, 0.1, 16777217, NAN, -INFINITY};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; ++i) {
        float single;
        double wide;
        dtype_store(ASSAY_FP32, &single, values[i]);
        const float expected = (float)values[i];
        assert_true(single == expected || (isnan(single) && isnan(expected)));
        dtype_store(ASSAY_FP64, &wide, values[i]);
        assert_memory_equal(&wide, &values[i], sizeof wide);
        const double back = dtype_load(ASSAY_FP32, &single);
        assert_true(back == (double)expected || isnan(expected));
    }
    const double numbers[] = {1.5, 2.5, -3.2, 1e20, -1e20, NAN, 2147483647};
    const int32_t integers[] = {2, 2, -3, INT32_MAX, INT32_MIN, 0, INT32_MAX};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        int32_t integer;
        dtype_store(ASSAY_INT32, &integer, numbers[i]);
        assert_int_equal(integer, integers[i]);
        assert_true(dtype_load(ASSAY_INT32, &integer) == (double)integer);
    }
    const double bytes[] = {0.5, 1.5, -127.5, -129, 127.4, 1e300, NAN};
    const int8_t small[] = {0, 2, -128, -128, 127, 127, 0};
    for (size_t i = 0; i < sizeof bytes / sizeof bytes[0]; ++i) {
        int8_t integer;
        dtype_store(ASSAY_INT8, &integer, bytes[i]);
        assert_int_equal(integer, small[i]);
        assert_true(dtype_load(ASSAY_INT8, &integer) == (double)integer);
    }
    const double long_numbers[] = {2.5, -0x1p53, 0x1p62, 0x1p63, -0x1p63, -1e300, NAN};
    const int64_t long_integers[] = {
        2, -(INT64_C(1) << 53), INT64_C(1) << 62, INT64_MAX, INT64_MIN, INT64_MIN, 0};
    for (size_t i = 0; i < sizeof long_numbers / sizeof long_numbers[0]; ++i) {
        int64_t integer;
        dtype_store(ASSAY_INT64, &integer, long_numbers[i]);
        assert_true(integer == long_integers[i]);
        assert_true(dtype_load(ASSAY_INT64, &integer) == (double)integer);
    }
}

// Every code of the bytes and of int16 is stored again as it was loaded.
static void test_every_code_of_version_4(void **state) {
    (void)state;
    static const struct {
        int32_t dtype;
        unsigned code_count;
    } rows[] = {{ASSAY_UINT8, 256}, {ASSAY_INT16, 65536}, {ASSAY_BOOL, 2}, {ASSAY_FP4_E2M1X2, 256}};
    for (size_t t = 0; t < sizeof rows / sizeof rows[0]; ++t)
        for (unsigned code = 0; code < rows[t].code_count; ++code) {
            const double value = load(rows[t].dtype, code);
            assert_true(value == (rows[t].dtype == ASSAY_INT16 ? (double)(int16_t)code : (double)code));
            assert_int_equal(store(rows[t].dtype, value), code);
        }
    static const struct {
        double value;
        unsigned uint8, int16, boolean;
    } edges[] = {{0.5, 0, 0, 1},          {1.5, 2, 2, 1},         {255.4, 255, 255, 1},
                 {1e300, 255, 0x7fff, 1}, {-0.5, 0, 0, 1},        {-0.0, 0, 0, 0},
                 {-1, 0, 0xffff, 1},      {-32769, 0, 0x8000, 1}, {(double)NAN, 0, 0, 1}};
    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; ++i) {
        assert_int_equal(store(ASSAY_UINT8, edges[i].value), edges[i].uint8);
        assert_int_equal(store(ASSAY_FP4_E2M1X2, edges[i].value), edges[i].uint8);
        assert_int_equal(store(ASSAY_INT16, edges[i].value), edges[i].int16);
        assert_int_equal(store(ASSAY_BOOL, edges[i].value), edges[i].boolean);
    }
    for (unsigned code = 2; code < 256; ++code) // neither true nor false: equal to no right result
        assert_true(load(ASSAY_BOOL, code) == (double)code);
}

static void test_e8m0(void **state) {
    (void)state;
    for (unsigned code = 0; code < 255; ++code) {
        const double value = ldexp(1, (int)code - 127);
        assert_true(load(ASSAY_E8M0, code) == value);
        assert_int_equal(store(ASSAY_E8M0, value), code);
        assert_int_equal(store(ASSAY_E8M0, -value), code); // there is no sign
        assert_int_equal(store(ASSAY_E8M0, nextafter(1.5 * value, 0)), code);
        assert_int_equal(store(ASSAY_E8M0, 1.5 * value), code + 1); // 255: NaN
        assert_true(dtype_ulp(ASSAY_E8M0, value) == value);
    }
    assert_true(isnan(load(ASSAY_E8M0, 255)));
    const double small[] = {0, -0.0, 0x1p-1074, 0x1p-128, 0x1.7ffffp-127};
    for (size_t i = 0; i < sizeof small / sizeof small[0]; ++i)
        assert_int_equal(store(ASSAY_E8M0, small[i]), 0);
    const double large[] = {0x1p128, 1e300, INFINITY, -INFINITY, (double)NAN};
    for (size_t i = 0; i < sizeof large / sizeof large[0]; ++i)
        assert_int_equal(store(ASSAY_E8M0, large[i]), 255);
}

// Rows of every length, unaligned: the same as one by one, and nothing beyond the end is touched.
static void test_rows_are_elements(void **state) {
    (void)state;
    double values[40];
    for (int i = 0; i < 40; ++i) values[i] = ldexp(sin(i * 1.7), i % 23 - 12);
    for (int32_t dtype = ASSAY_FP32; dtype < ASSAY_DTYPE_END; ++dtype) {
        const size_t bytes = dtype_bytes(dtype);
        for (size_t count = 0; count < 40; ++count) {
            unsigned char row[40 * 8 + 9], one[8];
            memset(row, 0xa5, sizeof row);
            dtype_store_row(dtype, row + 1, count, values);
            assert_int_equal(row[0], 0xa5);
            for (size_t i = 1 + count * bytes; i < sizeof row; ++i) assert_int_equal(row[i], 0xa5);
            double back[41];
            back[count] = -7;
            dtype_load_row(dtype, row + 1, count, back);
            assert_true(back[count] == -7);
            for (size_t i = 0; i < count; ++i) {
                dtype_store(dtype, one, values[i]);
                assert_memory_equal(one, row + 1 + i * bytes, bytes);
                assert_true(back[i] == dtype_load(dtype, one));
            }
        }
    }
}

static void test_ulp(void **state) {
    (void)state;
    for (size_t t = 0; t < sizeof narrow / sizeof narrow[0]; ++t)
        for (unsigned code = 0; code < finite_max(narrow[t]); ++code) {
            const double low = formula(narrow[t], code);
            const double step = formula(narrow[t], code + 1) - low;
            if (dtype_ulp(narrow[t], low) != step || dtype_ulp(narrow[t], -low) != step)
                fail_msg("%s at %a: %a, not %a", dtype_name(narrow[t]), low, dtype_ulp(narrow[t], low), step);
        }
    assert_true(dtype_ulp(ASSAY_FP32, 1.0) == 0x1p-23);
    assert_true(dtype_ulp(ASSAY_FP64, -3.0) == 0x1p-51);
    assert_true(dtype_ulp(ASSAY_FP16, 1e30) == 32); // as at the largest number
    assert_true(dtype_ulp(ASSAY_INT32, 12) == 1);
    assert_true(isnan(dtype_ulp(ASSAY_FP16, NAN)));
}

static void test_names(void **state) {
    (void)state;
    for (int32_t i = -1; i < ASSAY_DTYPE_END + 3; ++i) {
        if (i < 1 || i >= ASSAY_DTYPE_END) {
            assert_null(dtype_name(i));
            assert_int_equal(dtype_bytes(i), 0);
        } else {
            assert_int_equal(dtype_parse(dtype_name(i)), i);
        }
    }
    assert_int_equal(dtype_parse("FP16"), ASSAY_DTYPE_INVALID);
    assert_int_equal(dtype_parse(""), ASSAY_DTYPE_INVALID);
    assert_int_equal(dtype_parse(NULL), ASSAY_DTYPE_INVALID);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_code_reads_by_the_formula),
        cmocka_unit_test(test_rounding_at_every_midpoint),
        cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_wide_types),
        cmocka_unit_test(test_every_code_of_version_4),
        cmocka_unit_test(test_e8m0),
        cmocka_unit_test(test_rows_are_elements),
        cmocka_unit_test(test_ulp),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
