// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void quantize_reference(const double *x, double *codes, double *scales, int rows, int columns) {
    for (int row = 0; row < rows; ++row, x += columns, codes += columns)
        for (int first = 0; first < columns; first += 128, ++scales) {
            const int end = columns - first > 128 ? first + 128 : columns;
            double largest = 0;
            for (int i = first; i < end; ++i) largest = fmax(largest, fabs(x[i]));
            *scales = largest > 0 ? largest / 448 : 1;
            for (int i = first; i < end; ++i) codes[i] = x[i] / *scales;
        }
}
