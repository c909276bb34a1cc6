// SPDX-License-Identifier: Apache-2.0
#include <assay/kernel.h>
#include <math.h>

static int launch(ASSAY_LAUNCH_ARGS) {
    const int64_t rows = assay_problem_get(state, "rows"), columns = assay_problem_get(state, "columns");
    const double *x = assay_tensor_named(tensors, "x")->data;
    double *y = assay_tensor_named(tensors, "y")->data;
    for (int64_t row = 0; row < rows; ++row, x += columns, y += columns) {
        double max = x[0], sum = 0;
        for (int64_t i = 0; i < columns; ++i) max = x[i] > max ? x[i] : max;
        for (int64_t i = 0; i < columns; ++i) sum += exp(x[i] - max);
        for (int64_t i = 0; i < columns; ++i) y[i] = exp(x[i] - max) / sum;
    }
    return ASSAY_OK;
}

ASSAY_KERNEL(.name = "softmax_reference", .op = "softmax", .backend = "cpu", .launch = launch)
