// SPDX-License-Identifier: Apache-2.0
//
// Vector unit of vec_none.h's list: x86-64 with AVX2, FMA and F16C, 8 lanes, 16 registers. The caller asks
// vec_avx2_is_present before it calls an instance.
#include "common/vec_none.h"

#if defined(__x86_64__)
#define VEC_ISA          avx2
#define VEC_TARGET       __attribute__((target("avx2,fma,f16c")))
#define VEC_LANES        8
#define vec_t            __m256
#define VEC_TILE_ROWS    6
#define VEC_TILE_VECTORS 2

#define VEC_ZERO()           _mm256_setzero_ps()
#define VEC_SET1(x)          _mm256_set1_ps(x)
#define VEC_LOAD(p)          _mm256_loadu_ps(p)
#define VEC_STORE(p, a)      _mm256_storeu_ps(p, a)
#define VEC_FIRST(a)         _mm256_cvtss_f32(a)
#define VEC_ADD(a, b)        _mm256_add_ps(a, b)
#define VEC_SUB(a, b)        _mm256_sub_ps(a, b)
#define VEC_MUL(a, b)        _mm256_mul_ps(a, b)
#define VEC_FMA(a, b, c)     _mm256_fmadd_ps(a, b, c)
#define VEC_MAX(a, b)        _mm256_max_ps(a, b)
#define VEC_ABOVE(a, b)      (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_GT_OQ))
#define VEC_ROUND(a)         _mm256_round_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
#define VEC_SCALE2(p, n)     vec_avx2_scale2(p, n)
#define VEC_LOAD_FP16(p)     _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)(p)))
#define VEC_LOAD_BF16(p)     vec_avx2_load_bf16(p)
#define VEC_STORE_FP16(p, a) vec_avx2_store_fp16(p, a)
#define VEC_STORE_BF16(p, a) vec_avx2_store_bf16(p, a)
#define VEC_REDUCE_ADD(a)    vec_avx2_reduce_add(a)
#define VEC_REDUCE_MAX(a)    vec_avx2_reduce_max(a)
#define VEC_TRANSPOSE(r)     vec_avx2_transpose(r)

#ifndef COMMON_VEC_AVX2_H
#define COMMON_VEC_AVX2_H
#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

// Whether this processor has all of VEC_TARGET: each with AVX2 and FMA has F16C.
static inline bool vec_avx2_is_present(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

// n goes into the exponent field; results that would be subnormal become 0. A NaN p survives: n < -126 is
// false for NaN.
VEC_TARGET static inline __m256 vec_avx2_scale2(__m256 p, __m256 n) {
    const __m256i shift = _mm256_slli_epi32(_mm256_cvtps_epi32(n), 23);
    const __m256 scaled = _mm256_mul_ps(
        p, _mm256_castsi256_ps(_mm256_add_epi32(shift, _mm256_castps_si256(_mm256_set1_ps(1.0f)))));
    return _mm256_andnot_ps(_mm256_cmp_ps(n, _mm256_set1_ps(-126.0f), _CMP_LT_OQ), scaled);
}

VEC_TARGET static inline __m256 vec_avx2_load_bf16(const uint16_t *elements) {
    const __m128i halves = _mm_loadu_si128((const __m128i *)(const void *)elements);
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(halves), 16));
}

VEC_TARGET static inline void vec_avx2_store_fp16(uint16_t *elements, __m256 a) {
    _mm_storeu_si128((__m128i *)(void *)elements,
                     _mm256_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}

VEC_TARGET static inline void vec_avx2_store_bf16(uint16_t *elements, __m256 a) {
    const __m256i bits = _mm256_castps_si256(a);
    const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    const __m256i nearest = _mm256_add_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(0x7fff)), odd);
    const __m256i quiet = _mm256_or_si256(bits, _mm256_set1_epi32(0x400000));
    const __m256i is_nan = _mm256_castps_si256(_mm256_cmp_ps(a, a, _CMP_UNORD_Q));
    const __m256i result = _mm256_srli_epi32(_mm256_blendv_epi8(nearest, quiet, is_nan), 16);
    _mm_storeu_si128((__m128i *)(void *)elements,
                     _mm_packus_epi32(_mm256_castsi256_si128(result), _mm256_extracti128_si256(result, 1)));
}

VEC_TARGET static inline float vec_avx2_reduce_add(__m256 a) {
    __m128 half = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    half = _mm_add_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_add_ss(half, _mm_movehdup_ps(half)));
}

VEC_TARGET static inline float vec_avx2_reduce_max(__m256 a) {
    __m128 half = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    half = _mm_max_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_max_ss(half, _mm_movehdup_ps(half)));
}

VEC_TARGET static inline void vec_avx2_transpose(__m256 *r) {
    __m256 a[8], b[8];
    for (int i = 0; i < 8; i += 2) {
        a[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
        a[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
    }
    for (int i = 0; i < 8; i += 4) {
        for (int j = 0; j < 2; ++j) {
            b[i + 2 * j] = _mm256_shuffle_ps(a[i + j], a[i + j + 2], 0x44);
            b[i + 2 * j + 1] = _mm256_shuffle_ps(a[i + j], a[i + j + 2], 0xee);
        }
    }
    for (int j = 0; j < 4; ++j) {
        r[j] = _mm256_permute2f128_ps(b[j], b[j + 4], 0x20);
        r[j + 4] = _mm256_permute2f128_ps(b[j], b[j + 4], 0x31);
    }
}
#endif
#endif
