// SPDX-License-Identifier: Apache-2.0
//
// Vector unit of vec_none.h's list: x86-64 with AVX-512 (F, BW, DQ, VL), 16 lanes, 32 registers. The caller
// asks vec_avx512_is_present before it calls an instance.
#include "common/vec_none.h"

#if defined(__x86_64__)
#define VEC_ISA          avx512
#define VEC_TARGET       __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")))
#define VEC_LANES        16
#define vec_t            __m512
#define VEC_TILE_ROWS    6
#define VEC_TILE_VECTORS 4

#define VEC_ZERO()           _mm512_setzero_ps()
#define VEC_SET1(x)          _mm512_set1_ps(x)
#define VEC_LOAD(p)          _mm512_loadu_ps(p)
#define VEC_STORE(p, a)      _mm512_storeu_ps(p, a)
#define VEC_FIRST(a)         _mm512_cvtss_f32(a)
#define VEC_ADD(a, b)        _mm512_add_ps(a, b)
#define VEC_SUB(a, b)        _mm512_sub_ps(a, b)
#define VEC_MUL(a, b)        _mm512_mul_ps(a, b)
#define VEC_FMA(a, b, c)     _mm512_fmadd_ps(a, b, c)
#define VEC_MAX(a, b)        _mm512_max_ps(a, b)
#define VEC_ABOVE(a, b)      (unsigned)_mm512_cmp_ps_mask(a, b, _CMP_GT_OQ)
#define VEC_ROUND(a)         _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
#define VEC_SCALE2(p, n)     _mm512_scalef_ps(p, n)
#define VEC_EXP2(x, f, s)    vec_avx512_exp2(x, f, s)
#define VEC_LOAD_FP16(p)     _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)(p)))
#define VEC_LOAD_BF16(p)     vec_avx512_load_bf16(p)
#define VEC_STORE_FP16(p, a) vec_avx512_store_fp16(p, a)
#define VEC_STORE_BF16(p, a) vec_avx512_store_bf16(p, a)
#define VEC_REDUCE_ADD(a)    _mm512_reduce_add_ps(a)
#define VEC_REDUCE_MAX(a)    _mm512_reduce_max_ps(a)
#define VEC_TRANSPOSE(r)     vec_avx512_transpose(r)

#ifndef COMMON_VEC_AVX512_H
#define COMMON_VEC_AVX512_H
#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

// Whether this processor has all of VEC_TARGET.
static inline bool vec_avx512_is_present(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("fma");
}

// y = factor x + shift + 1/64 = n + r with n a multiple of 1/32 and 0 <= r < 1/32. The added constant rounds
// y down to n and leaves 32 n in the low bits of the sum, of which the permutation takes five to find
// 2^(n - floor n - 1/64) in a table. 2^r by a polynomial of degree 2, with a relative error of 6.6e-8. An
// exponent near 0 lies in the middle of a step and gives exactly 1. scalef multiplies by 2^floor(y), to 0
// for -inf.
VEC_TARGET static inline __m512 vec_avx512_exp2(__m512 x, __m512 factor, __m512 shift) {
    const __m512 low = _mm512_setr_ps(0x1.fa7c1ap-1f, 0x1.02c9a4p+0f, 0x1.087452p+0f, 0x1.0e3ec4p+0f,
                                      0x1.1429acp+0f, 0x1.1a35cp+0f, 0x1.2063bap+0f, 0x1.26b458p+0f,
                                      0x1.2d285cp+0f, 0x1.33c08cp+0f, 0x1.3a7db4p+0f, 0x1.4160a4p+0f,
                                      0x1.486a2cp+0f, 0x1.4f9b28p+0f, 0x1.56f474p+0f, 0x1.5e76f2p+0f);
    const __m512 high = _mm512_setr_ps(0x1.66238ap+0f, 0x1.6dfb26p+0f, 0x1.75feb6p+0f, 0x1.7e2f34p+0f,
                                       0x1.868d9cp+0f, 0x1.8f1aeap+0f, 0x1.97d82cp+0f, 0x1.a0c66ap+0f,
                                       0x1.a9e6b6p+0f, 0x1.b33a2ep+0f, 0x1.bcc1eap+0f, 0x1.c67f14p+0f,
                                       0x1.d072d6p+0f, 0x1.da9e62p+0f, 0x1.e502fp+0f, 0x1.efa1cp+0f);
    enum { down = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC };
    const __m512 y = _mm512_fmadd_ps(x, factor, _mm512_add_ps(shift, _mm512_set1_ps(0x1p-6f)));
    const __m512 sum = _mm512_add_round_ps(y, _mm512_set1_ps(0x1.8p18f), down);
    const __m512 fraction = _mm512_permutex2var_ps(low, _mm512_castps_si512(sum), high);
    const __m512 r = _mm512_reduce_ps(y, 5 << 4 | down);
    const __m512 p = _mm512_fmadd_ps(_mm512_set1_ps(0.242839888f), r, _mm512_set1_ps(0.693116903f));
    return _mm512_scalef_ps(_mm512_fmadd_ps(_mm512_mul_ps(fraction, r), p, fraction), y);
}

VEC_TARGET static inline __m512 vec_avx512_load_bf16(const uint16_t *elements) {
    const __m256i halves = _mm256_loadu_si256((const __m256i *)(const void *)elements);
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(halves), 16));
}

VEC_TARGET static inline void vec_avx512_store_fp16(uint16_t *elements, __m512 a) {
    _mm256_storeu_si256((__m256i *)(void *)elements,
                        _mm512_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}

VEC_TARGET static inline void vec_avx512_store_bf16(uint16_t *elements, __m512 a) {
    const __m512i bits = _mm512_castps_si512(a);
    const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    const __m512i nearest = _mm512_add_epi32(_mm512_add_epi32(bits, _mm512_set1_epi32(0x7fff)), odd);
    const __m512i quiet = _mm512_or_si512(bits, _mm512_set1_epi32(0x400000));
    const __mmask16 is_nan = _mm512_cmp_ps_mask(a, a, _CMP_UNORD_Q);
    const __m512i result = _mm512_srli_epi32(_mm512_mask_mov_epi32(nearest, is_nan, quiet), 16);
    _mm256_storeu_si256((__m256i *)(void *)elements, _mm512_cvtepi32_epi16(result));
}

// 16 x 16: pairs, fours and eights of rows interleave; after the third step each 128-bit lane holds 4 of 16.
VEC_TARGET static inline void vec_avx512_transpose(__m512 *r) {
    __m512 a[16], b[16];
    for (int i = 0; i < 16; i += 2) {
        a[i] = _mm512_unpacklo_ps(r[i], r[i + 1]);
        a[i + 1] = _mm512_unpackhi_ps(r[i], r[i + 1]);
    }
    for (int i = 0; i < 16; i += 4) {
        for (int j = 0; j < 2; ++j) {
            b[i + 2 * j] = _mm512_castpd_ps(
                _mm512_unpacklo_pd(_mm512_castps_pd(a[i + j]), _mm512_castps_pd(a[i + j + 2])));
            b[i + 2 * j + 1] = _mm512_castpd_ps(
                _mm512_unpackhi_pd(_mm512_castps_pd(a[i + j]), _mm512_castps_pd(a[i + j + 2])));
        }
    }
    for (int j = 0; j < 4; ++j) {
        const __m512 low = _mm512_shuffle_f32x4(b[j], b[j + 4], 0x88);
        const __m512 high = _mm512_shuffle_f32x4(b[j], b[j + 4], 0xdd);
        const __m512 low2 = _mm512_shuffle_f32x4(b[j + 8], b[j + 12], 0x88);
        const __m512 high2 = _mm512_shuffle_f32x4(b[j + 8], b[j + 12], 0xdd);
        r[j] = _mm512_shuffle_f32x4(low, low2, 0x88);
        r[j + 4] = _mm512_shuffle_f32x4(high, high2, 0x88);
        r[j + 8] = _mm512_shuffle_f32x4(low, low2, 0xdd);
        r[j + 12] = _mm512_shuffle_f32x4(high, high2, 0xdd);
    }
}
#endif
#endif
