// SPDX-License-Identifier: Apache-2.0
#include <assay/kernel.h>

static const double numbers[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6};

static int launch(ASSAY_LAUNCH_ARGS) {
    const uint8_t *codes = assay_tensor_named(tensors, "codes")->data;
    const double *scales = assay_tensor_named(tensors, "scales")->data;
    double *y = assay_tensor_named(tensors, "y")->data;
    double *doubled = assay_tensor_named(tensors, "doubled")->data;
    uint8_t *swapped = assay_tensor_named(tensors, "swapped")->data;
    for (int64_t i = 0; i < assay_problem_get(state, "bytes"); ++i) {
        const int low = codes[i] & 15, high = codes[i] >> 4;
        y[2 * i] = scales[i / 16] * numbers[low], y[2 * i + 1] = scales[i / 16] * numbers[high];
        swapped[i] = (uint8_t)(low << 4 | high);
        doubled[i / 16] = 2 * scales[i / 16];
    }
    return ASSAY_OK;
}
ASSAY_KERNEL(.name = "mxfp4_reference", .op = "mxfp4", .backend = "cpu", .launch = launch)
