// SPDX-License-Identifier: Apache-2.0
#include <assay/kernel.h>
#include <stdlib.h>
static int descending(const void *a, const void *b) {
    return (*(const double *)a < *(const double *)b) - (*(const double *)a > *(const double *)b);
}
static int launch(ASSAY_LAUNCH_ARGS) {
    const int64_t rows = assay_problem_get(state, "rows"), columns = assay_problem_get(state, "columns");
    const int64_t k = assay_problem_get(state, "k");
    const double *x = assay_tensor_named(tensors, "x")->data;
    double *values = assay_tensor_named(tensors, "values")->data, *row = malloc(columns * sizeof *row);
    for (const double *end = x + rows * columns; x < end; x += columns, values += k) {
        for (int64_t i = 0; i < columns; ++i) row[i] = x[i];
        qsort(row, columns, sizeof *row, descending);
        for (int64_t i = 0; i < k; ++i) values[i] = row[i];
    }
    free(row);
    return ASSAY_OK;
}
ASSAY_KERNEL(.name = "topk_reference", .op = "topk", .backend = "cpu", .launch = launch)
