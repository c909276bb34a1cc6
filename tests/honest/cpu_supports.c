// SPDX-License-Identifier: Apache-2.0
//
// Style: a constructor asks the processor what it can do, and sets a pointer that all launches go through.
#include "wide.h"

static dot_function dot = dot_plain;

#if defined(__x86_64__)
__attribute__((target("fma"))) static float dot_fma(const float *a, const float *b, int64_t n) {
    double sum = 0;
    for (int64_t d = 0; d < n; ++d) sum = __builtin_fma((double)a[d], (double)b[d], sum);
    return (float)sum;
}

__attribute__((constructor)) static void choose(void) {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("fma")) dot = dot_fma;
}
#endif

static int launch(struct honest *h) {
    wide_all(h, dot);
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
