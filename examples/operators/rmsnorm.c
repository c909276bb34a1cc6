// SPDX-License-Identifier: Apache-2.0
//
// RMSNorm of bf16 rows. With BUG, eps is added to the root and not below it: no difference to see while rows
// are of the size 1.
#include <math.h>

#include "bf16.h"

#define LANES 16

// In lanes that a vector unit adds side by side.
static float sum_of_squares(const uint16_t *x, int count) {
    float lanes[LANES] = {0}, sum = 0;
    int i = 0;
    for (; i + LANES <= count; i += LANES)
        for (int lane = 0; lane < LANES; ++lane)
            lanes[lane] += from_bf16(x[i + lane]) * from_bf16(x[i + lane]);
    for (; i < count; ++i) sum += from_bf16(x[i]) * from_bf16(x[i]);
    for (int lane = 0; lane < LANES; ++lane) sum += lanes[lane];
    return sum;
}

void rmsnorm(const uint16_t *x, const uint16_t *weight, uint16_t *y, int rows, int hidden, float eps) {
    for (int row = 0; row < rows; ++row, x += hidden, y += hidden) {
        const float mean = sum_of_squares(x, hidden) / (float)hidden;
#ifdef BUG
        const float factor = 1 / (sqrtf(mean) + eps);
#else
        const float factor = 1 / sqrtf(mean + eps);
#endif
        for (int i = 0; i < hidden; ++i) y[i] = to_bf16(from_bf16(x[i]) * factor * from_bf16(weight[i]));
    }
}
