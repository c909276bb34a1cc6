// SPDX-License-Identifier: Apache-2.0
//
// Vector unit of vec_none.h's list without intrinsics: the compiler's vector extension, 4 lanes. Uses the
// target's baseline processor (SSE2 on x86-64), without fused multiply-add unless that has one.
#include "common/vec_none.h"

#define VEC_ISA plain
#define VEC_TARGET
#define VEC_LANES        4
#define vec_t            vec_plain_t
#define VEC_TILE_ROWS    4
#define VEC_TILE_VECTORS 2

#define VEC_ZERO()           ((vec_plain_t){0.0f, 0.0f, 0.0f, 0.0f})
#define VEC_SET1(x)          vec_plain_set1(x)
#define VEC_LOAD(p)          vec_plain_load(p)
#define VEC_STORE(p, a)      vec_plain_store(p, a)
#define VEC_FIRST(a)         ((a)[0])
#define VEC_ADD(a, b)        ((a) + (b))
#define VEC_SUB(a, b)        ((a) - (b))
#define VEC_MUL(a, b)        ((a) * (b))
#define VEC_FMA(a, b, c)     ((a) * (b) + (c))
#define VEC_MAX(a, b)        vec_plain_max(a, b)
#define VEC_ABOVE(a, b)      vec_plain_above(a, b)
#define VEC_ROUND(a)         vec_plain_round(a)
#define VEC_SCALE2(p, n)     vec_plain_scale2(p, n)
#define VEC_LOAD_FP16(p)     vec_plain_load_fp16(p)
#define VEC_LOAD_BF16(p)     vec_plain_load_bf16(p)
#define VEC_STORE_FP16(p, a) vec_plain_store_fp16(p, a)
#define VEC_STORE_BF16(p, a) vec_plain_store_bf16(p, a)
#define VEC_REDUCE_ADD(a)    vec_plain_reduce_add(a)
#define VEC_REDUCE_MAX(a)    vec_plain_reduce_max(a)
#define VEC_TRANSPOSE(r)     vec_plain_transpose(r)

#ifndef COMMON_VEC_PLAIN_H
#define COMMON_VEC_PLAIN_H
#include "common/convert.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline bool vec_plain_is_present(void) {
    return true;
}

typedef float vec_plain_t __attribute__((vector_size(16)));
typedef int32_t vec_plain_bits_t __attribute__((vector_size(16)));

static inline vec_plain_t vec_plain_set1(float x) {
    return (vec_plain_t){x, x, x, x};
}

static inline vec_plain_t vec_plain_load(const float *values) {
    vec_plain_t a;
    memcpy(&a, values, sizeof a);
    return a;
}

static inline void vec_plain_store(float *values, vec_plain_t a) {
    memcpy(values, &a, sizeof a);
}

static inline vec_plain_t vec_plain_max(vec_plain_t a, vec_plain_t b) {
    const vec_plain_bits_t is_greater = (vec_plain_bits_t)(a > b);
    return (vec_plain_t)(((vec_plain_bits_t)a & is_greater) | ((vec_plain_bits_t)b & ~is_greater));
}

static inline unsigned vec_plain_above(vec_plain_t a, vec_plain_t b) {
    return a[0] > b[0] || a[1] > b[1] || a[2] > b[2] || a[3] > b[3];
}

// For magnitudes below 2^22: fp32's spacing at 1.5 * 2^23 is 1.
static inline vec_plain_t vec_plain_round(vec_plain_t a) {
    const vec_plain_t big = vec_plain_set1(0x1.8p23f);
    return (a + big) - big;
}

// n goes into the exponent field; subnormal results become 0. The integer comes from the low bits of
// n + 1.5 * 2^23, which is safe for NaN, unlike a conversion. A NaN p survives: n < -126 is false for NaN.
static inline vec_plain_t vec_plain_scale2(vec_plain_t p, vec_plain_t n) {
    const vec_plain_bits_t shift = (vec_plain_bits_t)(n + vec_plain_set1(0x1.8p23f)) << 23;
    const vec_plain_t scaled = p * (vec_plain_t)(shift + (vec_plain_bits_t)vec_plain_set1(1.0f));
    return (vec_plain_t)((vec_plain_bits_t)scaled & ~(vec_plain_bits_t)(n < vec_plain_set1(-126.0f)));
}

static inline vec_plain_t vec_plain_load_fp16(const uint16_t *elements) {
    float values[4];
    for (int i = 0; i < 4; ++i) values[i] = convert_fp16_to_float(elements[i]);
    return vec_plain_load(values);
}

static inline vec_plain_t vec_plain_load_bf16(const uint16_t *elements) {
    float values[4];
    for (int i = 0; i < 4; ++i) values[i] = convert_bf16_to_float(elements[i]);
    return vec_plain_load(values);
}

static inline void vec_plain_store_fp16(uint16_t *elements, vec_plain_t a) {
    for (int i = 0; i < 4; ++i) elements[i] = convert_float_to_fp16(a[i]);
}

static inline void vec_plain_store_bf16(uint16_t *elements, vec_plain_t a) {
    for (int i = 0; i < 4; ++i) elements[i] = convert_float_to_bf16(a[i]);
}

static inline float vec_plain_reduce_add(vec_plain_t a) {
    return (a[0] + a[2]) + (a[1] + a[3]);
}

static inline float vec_plain_reduce_max(vec_plain_t a) {
    const float even = a[0] > a[2] ? a[0] : a[2], odd = a[1] > a[3] ? a[1] : a[3];
    return even > odd ? even : odd;
}

static inline void vec_plain_transpose(vec_plain_t *r) {
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < i; ++j) {
            const float value = r[i][j];
            r[i][j] = r[j][i];
            r[j][i] = value;
        }
    }
}
#endif
