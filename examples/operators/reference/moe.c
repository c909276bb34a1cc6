// SPDX-License-Identifier: Apache-2.0
#include <assay/kernel.h>
#define AXIS(name)   name = assay_problem_get(state, #name)
#define TENSOR(name) *name = assay_tensor_named(tensors, #name)->data
static int launch(ASSAY_LAUNCH_ARGS) {
    const int64_t AXIS(choices), AXIS(experts), AXIS(hidden), AXIS(width);
    const double TENSOR(x), TENSOR(weights), TENSOR(gates);
    const int32_t TENSOR(offsets), TENSOR(order);
    double TENSOR(y);
    for (int64_t e = 0; e < experts; ++e)
        for (int64_t i = offsets[e] * width; i < offsets[e + 1] * width; ++i) {
            const double *weight = weights + (e * width + i % width) * hidden;
            const int64_t pair = order[i / width];
            double sum = 0;
            for (int64_t j = 0; j < hidden; ++j) sum += x[pair / choices * hidden + j] * weight[j];
            y[pair * width + i % width] = gates[pair] * sum;
        }
    return ASSAY_OK;
}
ASSAY_KERNEL(.name = "moe_reference", .op = "moe", .backend = "cpu", .launch = launch)
