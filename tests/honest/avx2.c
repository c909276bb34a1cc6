// SPDX-License-Identifier: Apache-2.0
//
// Style: AVX2 intrinsics in one function, chosen by asking the processor; plain C where it has none.
#include "wide.h"

#if defined(__x86_64__)
#include <immintrin.h>

__attribute__((target("avx2,fma"))) static float dot_avx2(const float *a, const float *b, int64_t n) {
    __m256 sum = _mm256_setzero_ps();
    int64_t d = 0;
    for (; d + 8 <= n; d += 8) sum = _mm256_fmadd_ps(_mm256_loadu_ps(a + d), _mm256_loadu_ps(b + d), sum);
    float lane[8], all = 0;
    _mm256_storeu_ps(lane, sum);
    for (int l = 0; l < 8; ++l) all += lane[l];
    for (; d < n; ++d) all += a[d] * b[d];
    return all;
}
#endif

static int launch(struct honest *h) {
    dot_function dot = dot_plain;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) dot = dot_avx2;
#endif
    wide_all(h, dot);
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
