// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdint.h>

void gemm_gelu_reference(const double *a, const double *weight, const double *bias, double *y, int64_t m,
                         int64_t n, int64_t k) {
    const double two = 2;
    for (int64_t i = 0; i < m * n; ++i) {
        double sum = bias[i % n];
        for (int64_t j = 0; j < k; ++j) sum += a[i / n * k + j] * weight[i % n * k + j];
        y[i] = sum / 2 * erfc(-sum / sqrt(two));
    }
}
