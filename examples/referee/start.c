// SPDX-License-Identifier: Apache-2.0
//
// RMSNorm as nobody should write it: columns outside, sums in memory, a square root for each element.
#include <math.h>

#define ROWS_MAX 65536

void rmsnorm(const float *x, const float *weight, float *y, int rows, int hidden, float eps) {
    static double sums[ROWS_MAX];
    for (int row = 0; row < rows; ++row) sums[row] = 0;
    for (int i = 0; i < hidden; ++i)
        for (int row = 0; row < rows; ++row) sums[row] += (double)x[row * hidden + i] * x[row * hidden + i];
    for (int i = 0; i < hidden; ++i)
        for (int row = 0; row < rows; ++row)
            y[row * hidden + i] = (float)(x[row * hidden + i] / sqrt(sums[row] / hidden + eps) * weight[i]);
}
