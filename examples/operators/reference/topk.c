// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

static int descending(const void *a, const void *b) {
    return (*(const double *)a < *(const double *)b) - (*(const double *)a > *(const double *)b);
}

void topk_reference(const double *x, double *values, int rows, int columns, int k) {
    double *sorted = malloc(columns * sizeof *sorted);
    for (int row = 0; row < rows; ++row, x += columns, values += k) {
        memcpy(sorted, x, columns * sizeof *sorted);
        qsort(sorted, columns, sizeof *sorted, descending);
        memcpy(values, sorted, k * sizeof *sorted);
    }
    free(sorted);
}
