// SPDX-License-Identifier: Apache-2.0
//
// y = gelu(a weight^T + bias), weight as PyTorch's Linear has it: a row for each column of y. With BUG, the
// last k % 16 products are missing.
#include <math.h>

#define LANES 16

static float dot(const float *a, const float *b, int count) {
    float lanes[LANES] = {0}, sum = 0;
    int i = 0;
    for (; i + LANES <= count; i += LANES)
        for (int lane = 0; lane < LANES; ++lane) lanes[lane] += a[i + lane] * b[i + lane];
#ifndef BUG
    for (; i < count; ++i) sum += a[i] * b[i];
#endif
    for (int lane = 0; lane < LANES; ++lane) sum += lanes[lane];
    return sum;
}

// By erfc, since 1 + erf(x) loses all digits where x is far below 0.
static float gelu(float x) {
    return x / 2 * erfcf(-x / sqrtf(2));
}

void gemm_gelu(const float *a, const float *weight, const float *bias, float *y, int m, int n, int k) {
    for (int row = 0; row < m; ++row, a += k, y += n)
        for (int column = 0; column < n; ++column)
            y[column] = gelu(dot(a, weight + (long)column * k, k) + bias[column]);
}
