// SPDX-License-Identifier: Apache-2.0
//
// Style: AVX-512 intrinsics with masked tails where the processor has them; plain C elsewhere.
#include "wide.h"

#if defined(__x86_64__)
#include <immintrin.h>

__attribute__((target("avx512f"))) static float dot_avx512(const float *a, const float *b, int64_t n) {
    __m512 sum = _mm512_setzero_ps();
    for (int64_t d = 0; d < n; d += 16) {
        const __mmask16 mask = n - d >= 16 ? 0xffff : (__mmask16)((1u << (n - d)) - 1);
        sum = _mm512_fmadd_ps(_mm512_maskz_loadu_ps(mask, a + d), _mm512_maskz_loadu_ps(mask, b + d), sum);
    }
    return _mm512_reduce_add_ps(sum);
}
#endif

static int launch(struct honest *h) {
    dot_function dot = dot_plain;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) dot = dot_avx512;
#endif
    wide_all(h, dot);
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
