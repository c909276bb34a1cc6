// SPDX-License-Identifier: Apache-2.0
#include <assay/kernel.h>
#include <math.h>

static int launch(ASSAY_LAUNCH_ARGS) {
    const int64_t m = assay_problem_get(state, "m"), n = assay_problem_get(state, "n");
    const int64_t k = assay_problem_get(state, "k");
    const double *a = assay_tensor_named(tensors, "a")->data,
                 *bias = assay_tensor_named(tensors, "bias")->data;
    const double *weight = assay_tensor_named(tensors, "weight")->data, two = 2;
    double *y = assay_tensor_named(tensors, "y")->data;
    for (int64_t i = 0; i < m * n; ++i) {
        double sum = bias[i % n];
        for (int64_t j = 0; j < k; ++j) sum += a[i / n * k + j] * weight[i % n * k + j];
        y[i] = sum / 2 * erfc(-sum / sqrt(two));
    }
    return ASSAY_OK;
}

ASSAY_KERNEL(.name = "gemm_gelu_reference", .op = "gemm_gelu", .backend = "cpu", .launch = launch)
