// SPDX-License-Identifier: Apache-2.0
#include "norms.h"

#include <math.h>

#define LANES 16

void rmsnorm(const float *x, const float *weight, float *y, int rows, int hidden, float eps) {
    for (int row = 0; row < rows; ++row, x += hidden, y += hidden) {
        float lanes[LANES] = {0}, sum = 0; // sums that a vector unit adds side by side
        for (int i = 0; i < hidden; ++i) lanes[i % LANES] += x[i] * x[i];
        for (int lane = 0; lane < LANES; ++lane) sum += lanes[lane];
        const float factor = 1 / sqrtf(sum / (float)hidden + eps);
        for (int i = 0; i < hidden; ++i) y[i] = x[i] * factor * weight[i];
    }
}
