// SPDX-License-Identifier: Apache-2.0
#include <assay/kernel.h>
#include <math.h>

static int launch(ASSAY_LAUNCH_ARGS) {
    const int64_t rows = assay_problem_get(state, "rows"), hidden = assay_problem_get(state, "hidden");
    const double *x = assay_tensor_named(tensors, "x")->data;
    const double *weight = assay_tensor_named(tensors, "weight")->data, eps = assay_problem_get(state, "eps");
    double *y = assay_tensor_named(tensors, "y")->data;
    for (int64_t row = 0; row < rows; ++row, x += hidden, y += hidden) {
        double sum = 0;
        for (int64_t i = 0; i < hidden; ++i) sum += x[i] * x[i];
        for (int64_t i = 0; i < hidden; ++i) y[i] = x[i] / sqrt(sum / hidden + eps) * weight[i];
    }
    return ASSAY_OK;
}

ASSAY_KERNEL(.name = "rmsnorm_reference", .op = "rmsnorm", .backend = "cpu", .launch = launch)
