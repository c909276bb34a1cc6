// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

static const double *row_values;

static int descending(const void *a, const void *b) {
    const double x = row_values[*(const int *)a], y = row_values[*(const int *)b];
    return (x < y) - (x > y);
}

void topk_reference(const double *x, double *values, int *indices, int rows, int columns, int k) {
    int *sorted = malloc(columns * sizeof *sorted);
    for (int row = 0; row < rows; ++row, x += columns, values += k, indices += k) {
        for (int i = 0; i < columns; ++i) sorted[i] = i;
        row_values = x;
        qsort(sorted, columns, sizeof *sorted, descending);
        for (int i = 0; i < k; ++i) values[i] = x[indices[i] = sorted[i]];
    }
    free(sorted);
}
