// SPDX-License-Identifier: Apache-2.0
#include <assay/kernel.h>

static int launch(ASSAY_LAUNCH_ARGS) {
    const int64_t tokens = assay_problem_get(state, "tokens"), heads = assay_problem_get(state, "heads");
    const int64_t dim = assay_problem_get(state, "dim"), rotary = assay_problem_get(state, "rotary");
    const int32_t *positions = assay_tensor_named(tensors, "positions")->data;
    const double *table = assay_tensor_named(tensors, "table")->data;
    double *x = assay_tensor_named(tensors, "x")->data;
    for (int64_t head = 0; head < tokens * heads; ++head, x += dim)
        for (int64_t i = 0, half = rotary / 2; i < half; ++i) {
            const double *row = table + positions[head / heads] * rotary, a = x[i], b = x[i + half];
            x[i] = a * row[i] - b * row[i + half];
            x[i + half] = b * row[i] + a * row[i + half];
        }
    return ASSAY_OK;
}

ASSAY_KERNEL(.name = "rope_reference", .op = "rope", .backend = "cpu", .launch = launch)
