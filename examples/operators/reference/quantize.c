// SPDX-License-Identifier: Apache-2.0
#include <assay/kernel.h>
#include <math.h>

static int launch(ASSAY_LAUNCH_ARGS) {
    const int64_t rows = assay_problem_get(state, "rows"), columns = assay_problem_get(state, "columns");
    const double *x = assay_tensor_named(tensors, "x")->data;
    double *codes = assay_tensor_named(tensors, "codes")->data;
    double *scale = assay_tensor_named(tensors, "scales")->data;
    for (int64_t row = 0; row < rows; ++row, x += columns, codes += columns)
        for (int64_t first = 0; first < columns; first += 128, ++scale) {
            const int64_t end = first + 128 < columns ? first + 128 : columns;
            double largest = 0;
            for (int64_t i = first; i < end; ++i) largest = fmax(largest, fabs(x[i]));
            *scale = largest > 0 ? largest / 448 : 1;
            for (int64_t i = first; i < end; ++i) codes[i] = x[i] / *scale;
        }
    return ASSAY_OK;
}
ASSAY_KERNEL(.name = "quantize_reference", .op = "quantize", .backend = "cpu", .launch = launch)
