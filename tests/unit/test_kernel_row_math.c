// SPDX-License-Identifier: Apache-2.0
//
// exp2 of the kernels' rows, on every vector unit that this processor has: precision, and what softmax relies
// on; the maximum of two lanes, with NaN.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

// 2^(factor x + shift), and the maximum of a and b, in one lane of the unit that was included last.
#define DEFINE_LANE()                                                                                        \
    VEC_TARGET static float ROW_NAME(exp2_one)(float x, float factor, float shift) {                         \
        float lanes[VEC_LANES];                                                                              \
        VEC_STORE(lanes, ROW_CALL(row_exp2, VEC_SET1(x), VEC_SET1(factor), VEC_SET1(shift)));                \
        return lanes[VEC_LANES - 1];                                                                         \
    }                                                                                                        \
    VEC_TARGET static float ROW_NAME(max_one)(float a, float b) {                                            \
        float lanes[VEC_LANES];                                                                              \
        VEC_STORE(lanes, VEC_MAX(VEC_SET1(a), VEC_SET1(b)));                                                 \
        return lanes[VEC_LANES - 1];                                                                         \
    }

#if defined(__x86_64__)
#include "common/vec_avx512.h"

#include "common/row_math.h"
DEFINE_LANE()

#include "common/vec_avx2.h"

#include "common/row_math.h"
DEFINE_LANE()
#elif defined(__aarch64__)
#include "common/vec_neon.h"

#include "common/row_math.h"
DEFINE_LANE()
#endif

#include "common/vec_plain.h"

#include "common/row_math.h"
DEFINE_LANE()

struct unit {
    float (*exp2)(float x, float factor, float shift);
    float (*max)(float a, float b);
};

static int units_find(struct unit *ret) {
    int count = 0;
    ret[count++] = (struct unit){exp2_one_plain, max_one_plain};
#if defined(__x86_64__)
    if (vec_avx512_is_present()) ret[count++] = (struct unit){exp2_one_avx512, max_one_avx512};
    if (vec_avx2_is_present()) ret[count++] = (struct unit){exp2_one_avx2, max_one_avx2};
#elif defined(__aarch64__)
    ret[count++] = (struct unit){exp2_one_neon, max_one_neon};
#endif
    return count;
}

// 2 ulp, and what half an ulp of the exponent makes of it.
static void exp2_is_precise(void **state) {
    (void)state;
    struct unit units[3];
    const int count = units_find(units);
    const float factor = 0.18f, shift = -3.3f;
    for (int u = 0; u < count; ++u) {
        for (float x = -680.0f; x < 107.0f; x += 0.0137f) {
            const double exponent = (double)factor * (double)x + (double)shift, exact = exp2(exponent);
            const double error = fabs((double)units[u].exp2(x, factor, shift) - exact) / exact;
            assert_true(error < 0x1p-22 + fabs(exponent) * 0x1p-23);
        }
    }
}

// Equal scores have weights of 1 although the base, one of them times the factor, is rounded: while the base
// is small.
static void exp2_of_the_base_is_one(void **state) {
    (void)state;
    struct unit units[3];
    const int count = units_find(units);
    for (int u = 0; u < count; ++u) {
        assert_true(units[u].exp2(0.0f, 1.0f, 0.0f) == 1.0f);
        for (float score = -4.0f; score <= 4.0f; score += 0.25f)
            assert_true(units[u].exp2(score, 0.18033688f, -(score * 0.18033688f)) == 1.0f);
    }
}

static void exp2_keeps_special_values(void **state) {
    (void)state;
    struct unit units[3];
    const int count = units_find(units);
    const float zeros[] = {-INFINITY, -3e38f, -1e10f, -6e5f, -300.0f, -161.0f};
    for (int u = 0; u < count; ++u) {
        for (size_t i = 0; i < sizeof zeros / sizeof zeros[0]; ++i)
            assert_true(units[u].exp2(zeros[i], 1.0f, 8.0f) == 0.0f);
        assert_true(isnan(units[u].exp2(NAN, 1.0f, 0.0f)));
        assert_true(isnan(units[u].exp2(INFINITY, 1.0f, -INFINITY)));
    }
}

// A row of NaN scores must not hide the largest score of the rows before it, and exp2 keeps a NaN as b.
static void max_with_nan_is_b(void **state) {
    (void)state;
    struct unit units[3];
    const int count = units_find(units);
    for (int u = 0; u < count; ++u) {
        assert_true(units[u].max(2.0f, 3.0f) == 3.0f && units[u].max(3.0f, 2.0f) == 3.0f);
        assert_true(units[u].max(NAN, 3.0f) == 3.0f && units[u].max(NAN, -INFINITY) == -INFINITY);
        assert_true(isnan(units[u].max(3.0f, NAN)) && isnan(units[u].max(INFINITY, NAN)));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exp2_is_precise),
        cmocka_unit_test(exp2_of_the_base_is_one),
        cmocka_unit_test(exp2_keeps_special_values),
        cmocka_unit_test(max_with_nan_is_b),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
