// SPDX-License-Identifier: Apache-2.0
//
// The kernels' element conversions against the host's, which share no code with them: widening of all codes;
// narrowing of every midpoint between neighbours, and of the midpoint's neighbours, where rounding decides.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../kernels/common/convert.h"
#include "op/dtype.h"

// An element of any of the types, in the low bytes.
union element {
    uint8_t byte;
    uint16_t half;
    float fp32;
};

static uint32_t element_code(int32_t dtype, const union element *element) {
    return dtype == ASSAY_FP8_E4M3 ? element->byte : element->half;
}

static union element element_of(int32_t dtype, uint32_t code) {
    union element element = {.fp32 = 0};
    if (dtype == ASSAY_FP8_E4M3)
        element.byte = (uint8_t)code;
    else
        element.half = (uint16_t)code;
    return element;
}

static uint32_t kernel_narrow(int32_t dtype, float value) {
    union element element = {.fp32 = 0};
    convert_row_from_float(&value, dtype, 1, &element);
    return element_code(dtype, &element);
}

static uint32_t host_narrow(int32_t dtype, float value) {
    union element element = {.fp32 = 0};
    dtype_store(dtype, &element, value);
    return element_code(dtype, &element);
}

static float kernel_widen(int32_t dtype, uint32_t code) {
    const union element element = element_of(dtype, code);
    float value;
    convert_row_to_float(&element, dtype, 1, &value);
    return value;
}

static void check_narrow(int32_t dtype, float value) {
    const uint32_t got = kernel_narrow(dtype, value), expected = host_narrow(dtype, value);
    if (isnan(value))
        assert_true(isnan(kernel_widen(dtype, got)));
    else
        assert_int_equal(got, expected);
}

static void check_dtype(int32_t dtype, uint32_t code_count) {
    for (uint32_t code = 0; code < code_count; ++code) {
        const union element element = element_of(dtype, code);
        const float value = kernel_widen(dtype, code);
        const double expected = dtype_load(dtype, &element);
        assert_true(isnan(expected) ? isnan(value) : (double)value == expected);
        if (!isnan(expected)) assert_int_equal(signbit(value) != 0, signbit(expected) != 0);

        check_narrow(dtype, value);
        const float next = kernel_widen(dtype, code + 1 < code_count ? code + 1 : code);
        const float middle = value + (next - value) / 2;
        check_narrow(dtype, middle);
        check_narrow(dtype, nextafterf(middle, INFINITY));
        check_narrow(dtype, nextafterf(middle, -INFINITY));
    }
    const float far[] = {1e-45f,   -1e-30f, 464.0f,   -465.0f,  65519.0f,
                         65520.0f, 3.4e38f, -3.4e38f, INFINITY, -INFINITY};
    for (size_t i = 0; i < sizeof far / sizeof far[0]; ++i) check_narrow(dtype, far[i]);
}

static void fp16_agrees(void **state) {
    (void)state;
    check_dtype(ASSAY_FP16, 65536);
}

static void bf16_agrees(void **state) {
    (void)state;
    check_dtype(ASSAY_BF16, 65536);
}

static void e4m3_agrees(void **state) {
    (void)state;
    check_dtype(ASSAY_FP8_E4M3, 256);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fp16_agrees),
        cmocka_unit_test(bf16_agrees),
        cmocka_unit_test(e4m3_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
