// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void rmsnorm_reference(const double *x, const double *weight, double *y, int rows, int hidden, double eps) {
    for (int row = 0; row < rows; ++row, x += hidden, y += hidden) {
        double sum = 0;
        for (int i = 0; i < hidden; ++i) sum += x[i] * x[i];
        for (int i = 0; i < hidden; ++i) y[i] = x[i] / sqrt(sum / hidden + eps) * weight[i];
    }
}
