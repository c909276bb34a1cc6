// SPDX-License-Identifier: Apache-2.0
//
// Operations on a row of numbers: any float dtype to fp32 and back, exp2, the largest.
// A template over the vector unit: include a vec_<isa>.h first (else vec_plain.h is used) to get functions
// row_..._<isa>(); so they have no include guard.
#include <assay/kernel.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "common/convert.h"

#ifndef VEC_ISA
#include "common/vec_plain.h"
#endif

#ifndef COMMON_ROW_MATH_H
#define COMMON_ROW_MATH_H
#define ROW_JOIN2(a, b)     a##_##b
#define ROW_JOIN(a, b)      ROW_JOIN2(a, b)
#define ROW_NAME(name)      ROW_JOIN(name, VEC_ISA)
#define ROW_CALL(name, ...) ROW_NAME(name)(__VA_ARGS__)
#define ROW_LOG2E           1.44269504088896340736
#define ROW_LN2             0.69314718055994530942
#endif

// Converts count elements of dtype to fp32 and appends zeros up to padded_count, a multiple of the vector
// length.
VEC_TARGET static inline void ROW_NAME(row_load)(const void *elements, int32_t dtype, int64_t count,
                                                 int64_t padded_count, float *ret) {
    const int64_t whole = count / VEC_LANES * VEC_LANES;
    const int64_t element_bytes = dtype == ASSAY_FP32 ? 4 : 2;
    if (dtype == ASSAY_FP16)
        for (int64_t i = 0; i < whole; i += VEC_LANES)
            VEC_STORE(ret + i, VEC_LOAD_FP16((const uint16_t *)elements + i));
    else if (dtype == ASSAY_BF16)
        for (int64_t i = 0; i < whole; i += VEC_LANES)
            VEC_STORE(ret + i, VEC_LOAD_BF16((const uint16_t *)elements + i));
    else
        for (int64_t i = 0; i < whole; i += VEC_LANES)
            VEC_STORE(ret + i, VEC_LOAD((const float *)elements + i));
    if (whole < count)
        convert_row_to_float((const char *)elements + whole * element_bytes, dtype, count - whole,
                             ret + whole);
    if (count < padded_count) memset(ret + count, 0, (size_t)(padded_count - count) * sizeof(float));
}

// Stores count values times factor, rounded to dtype.
VEC_TARGET static inline void ROW_NAME(row_store)(float *values, float factor, int32_t dtype, int64_t count,
                                                  void *ret) {
    const int64_t whole = count / VEC_LANES * VEC_LANES;
    const int64_t element_bytes = dtype == ASSAY_FP32 ? 4 : 2;
    const vec_t factors = VEC_SET1(factor);
    if (dtype == ASSAY_FP16)
        for (int64_t i = 0; i < whole; i += VEC_LANES)
            VEC_STORE_FP16((uint16_t *)ret + i, VEC_MUL(VEC_LOAD(values + i), factors));
    else if (dtype == ASSAY_BF16)
        for (int64_t i = 0; i < whole; i += VEC_LANES)
            VEC_STORE_BF16((uint16_t *)ret + i, VEC_MUL(VEC_LOAD(values + i), factors));
    else
        for (int64_t i = 0; i < whole; i += VEC_LANES)
            VEC_STORE((float *)ret + i, VEC_MUL(VEC_LOAD(values + i), factors));
    if (whole < count) {
        for (int64_t i = whole; i < count; ++i) values[i] *= factor;
        convert_row_from_float(values + whole, dtype, count - whole, (char *)ret + whole * element_bytes);
    }
}

// 2^(factor x + shift) for exponents up to 16; 0 for -inf, NaN for NaN. Besides the exponent's rounding, a
// relative error below 2 ulp. Where the vector unit has none of its own: the exponent is n + r with n
// integral and |r| <= 1/2; 2^r by a minimax polynomial of degree 6 (relative error 2.6e-9) that is exactly 1
// at r = 0.
VEC_TARGET static inline vec_t ROW_NAME(row_exp2)(vec_t x, vec_t factor, vec_t shift) {
#ifdef VEC_EXP2
    return VEC_EXP2(x, factor, shift);
#else
    x = VEC_MAX(VEC_SET1(-160.0f), VEC_FMA(x, factor, shift));
    const vec_t n = VEC_ROUND(x);
    const vec_t r = VEC_SUB(x, n);
    vec_t p = VEC_FMA(VEC_SET1(0.000155946776f), r, VEC_SET1(0.00134066439f));
    p = VEC_FMA(p, r, VEC_SET1(0.00961769297f));
    p = VEC_FMA(p, r, VEC_SET1(0.0555031055f));
    p = VEC_FMA(p, r, VEC_SET1(0.240226528f));
    p = VEC_FMA(p, r, VEC_SET1(0.693147215f));
    p = VEC_FMA(p, r, VEC_SET1(1.0f));
    return VEC_SCALE2(p, n);
#endif
}

// The largest of count scores, a multiple of VEC_LANES. Four chains: each maximum waits for the one
// before it.
VEC_TARGET static inline float ROW_NAME(row_max)(const float *scores, int64_t count) {
    vec_t max[4];
    for (int i = 0; i < 4; ++i) max[i] = VEC_SET1(-INFINITY);
    int64_t at = 0;
    for (; at + 4 * VEC_LANES <= count; at += 4 * VEC_LANES)
        for (int i = 0; i < 4; ++i) max[i] = VEC_MAX(VEC_LOAD(scores + at + i * VEC_LANES), max[i]);
    for (; at < count; at += VEC_LANES) max[0] = VEC_MAX(VEC_LOAD(scores + at), max[0]);
    return VEC_REDUCE_MAX(VEC_MAX(VEC_MAX(max[0], max[1]), VEC_MAX(max[2], max[3])));
}
