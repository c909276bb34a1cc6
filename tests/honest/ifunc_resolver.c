// SPDX-License-Identifier: Apache-2.0
//
// Style: the loader asks a resolver which of two functions a name stands for (IFUNC).
#include "honest.h"

static double by_exp(double x) {
    return exp(x);
}

#if defined(__ELF__) && defined(__x86_64__)
static double by_exp2(double x) {
    return exp2(x * 1.4426950408889634);
}

__attribute__((used)) static double (*resolve(void))(double) {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") ? by_exp2 : by_exp;
}

static double exponential(double x) __attribute__((ifunc("resolve")));
#else
#define exponential by_exp
#endif

static int launch(struct honest *h) {
    honest_all_with(h, exponential);
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
