// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>

void moe_reference(const double *x, const double *weights, const double *gates, const int32_t *offsets,
                   const int32_t *order, double *y, int choices, int experts, int64_t hidden, int64_t width) {
    for (int e = 0; e < experts; ++e)
        for (int64_t i = offsets[e] * width; i < offsets[e + 1] * width; ++i) {
            const double *weight = weights + (e * width + i % width) * hidden;
            const int64_t pair = order[i / width];
            double sum = 0;
            for (int64_t j = 0; j < hidden; ++j) sum += x[pair / choices * hidden + j] * weight[j];
            y[pair * width + i % width] = gates[pair] * sum;
        }
}
