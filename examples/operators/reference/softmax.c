// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void softmax_reference(const double *x, double *y, int rows, int columns) {
    for (int row = 0; row < rows; ++row, x += columns, y += columns) {
        double max = x[0], sum = 0;
        for (int i = 0; i < columns; ++i) max = x[i] > max ? x[i] : max;
        for (int i = 0; i < columns; ++i) sum += exp(x[i] - max);
        for (int i = 0; i < columns; ++i) y[i] = exp(x[i] - max) / sum;
    }
}
