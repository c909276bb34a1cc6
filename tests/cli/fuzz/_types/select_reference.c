// SPDX-License-Identifier: Apache-2.0
#include <assay/kernel.h>

static int launch(ASSAY_LAUNCH_ARGS) {
    const uint8_t *is_small = assay_tensor_named(tensors, "is_small")->data;
    const uint8_t *small = assay_tensor_named(tensors, "small")->data;
    uint8_t *low = assay_tensor_named(tensors, "low")->data;
    uint8_t *is_negative = assay_tensor_named(tensors, "is_negative")->data;
    int16_t *x = assay_tensor_named(tensors, "x")->data;
    for (int64_t i = 0; i < assay_problem_get(state, "n"); ++i) {
        if (is_small[i]) x[i] = small[i];
        low[i] = (uint8_t)x[i];
        is_negative[i] = x[i] < 0;
    }
    return ASSAY_OK;
}
ASSAY_KERNEL(.name = "select_reference", .op = "select", .backend = "cpu", .launch = launch)
