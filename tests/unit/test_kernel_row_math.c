// SPDX-License-Identifier: Apache-2.0
//
// exp2 of the kernels' rows, on every vector unit that this processor has: precision, and what softmax relies
// on.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

// 2^(factor x + shift) in one lane of the unit that was included last.
#define DEFINE_EXP2_ONE()                                                                                    \
    VEC_TARGET static float ROW_NAME(exp2_one)(float x, float factor, float shift) {                         \
        float lanes[VEC_LANES];                                                                              \
        VEC_STORE(lanes, ROW_CALL(row_exp2, VEC_SET1(x), VEC_SET1(factor), VEC_SET1(shift)));                \
        return lanes[VEC_LANES - 1];                                                                         \
    }

#if defined(__x86_64__)
#include "common/vec_avx512.h"

#include "common/row_math.h"
DEFINE_EXP2_ONE()

#include "common/vec_avx2.h"

#include "common/row_math.h"
DEFINE_EXP2_ONE()
#elif defined(__aarch64__)
#include "common/vec_neon.h"

#include "common/row_math.h"
DEFINE_EXP2_ONE()
#endif

#include "common/vec_plain.h"

#include "common/row_math.h"
DEFINE_EXP2_ONE()

typedef float exp2_fn(float x, float factor, float shift);

static int units_find(exp2_fn **ret) {
    int count = 0;
    ret[count++] = exp2_one_plain;
#if defined(__x86_64__)
    if (vec_avx512_is_present()) ret[count++] = exp2_one_avx512;
    if (vec_avx2_is_present()) ret[count++] = exp2_one_avx2;
#elif defined(__aarch64__)
    ret[count++] = exp2_one_neon;
#endif
    return count;
}

// 2 ulp, and what half an ulp of the exponent makes of it.
static void exp2_is_precise(void **state) {
    (void)state;
    exp2_fn *units[3];
    const int count = units_find(units);
    const float factor = 0.18f, shift = -3.3f;
    for (int u = 0; u < count; ++u) {
        for (float x = -680.0f; x < 107.0f; x += 0.0137f) {
            const double exponent = (double)factor * (double)x + (double)shift, exact = exp2(exponent);
            const double error = fabs((double)units[u](x, factor, shift) - exact) / exact;
            assert_true(error < 0x1p-22 + fabs(exponent) * 0x1p-23);
        }
    }
}

// Equal scores have weights of 1 although the base, one of them times the factor, is rounded: while the base
// is small.
static void exp2_of_the_base_is_one(void **state) {
    (void)state;
    exp2_fn *units[3];
    const int count = units_find(units);
    for (int u = 0; u < count; ++u) {
        assert_true(units[u](0.0f, 1.0f, 0.0f) == 1.0f);
        for (float score = -4.0f; score <= 4.0f; score += 0.25f)
            assert_true(units[u](score, 0.18033688f, -(score * 0.18033688f)) == 1.0f);
    }
}

static void exp2_keeps_special_values(void **state) {
    (void)state;
    exp2_fn *units[3];
    const int count = units_find(units);
    const float zeros[] = {-INFINITY, -3e38f, -1e10f, -6e5f, -300.0f, -161.0f};
    for (int u = 0; u < count; ++u) {
        for (size_t i = 0; i < sizeof zeros / sizeof zeros[0]; ++i)
            assert_true(units[u](zeros[i], 1.0f, 8.0f) == 0.0f);
        assert_true(isnan(units[u](NAN, 1.0f, 0.0f)));
        assert_true(isnan(units[u](INFINITY, 1.0f, -INFINITY)));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exp2_is_precise),
        cmocka_unit_test(exp2_of_the_base_is_one),
        cmocka_unit_test(exp2_keeps_special_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
