// SPDX-License-Identifier: Apache-2.0
//
// C += A B in fp32, plain loops. With LAZY, launches after the 60th leave C as it was; with OVERWRITES,
// C's former values are lost; with ANY_ORDER, sums run upwards and downwards by turns.
#include <assay/kernel.h>
#include <stddef.h>

static unsigned launches;

static int supports(const struct assay_problem *problem, struct assay_message *message) {
    const struct assay_tensor *c = assay_tensor_named(&problem->tensors, "c");
    const double flags = assay_scalar_get(problem->scalars, problem->scalar_count, "b_transposed", 1) +
                         assay_scalar_get(problem->scalars, problem->scalar_count, "activation", 1);
    if (c && c->dtype == ASSAY_FP32 && flags == 0 && !assay_tensor_named(&problem->tensors, "bias"))
        return ASSAY_OK;
    return assay_say(message, ASSAY_UNSUPPORTED, "fp32 without options");
}

static int launch(void *state, const struct assay_tensors *tensors, void *workspace, void *stream,
                  struct assay_message *message) {
    (void)state, (void)workspace, (void)stream, (void)message;
    const struct assay_tensor *a = assay_tensor_named(tensors, "a"), *b = assay_tensor_named(tensors, "b");
    const struct assay_tensor *c = assay_tensor_named(tensors, "c");
    const int64_t m = a->shape[0], k = a->shape[1], n = b->shape[1];
    ++launches;
#ifdef LAZY
    if (launches > 60) return ASSAY_OK;
#endif
    for (int64_t i = 0; i < m; ++i) {
        float *row = (float *)c->data + i * c->stride[0];
        float sums[512] = {0};
        for (int64_t step = 0; step < k; ++step) {
#ifdef ANY_ORDER
            const int64_t d = launches % 2 ? step : k - 1 - step;
#else
            const int64_t d = step;
#endif
            const float factor = ((const float *)a->data)[i * a->stride[0] + d];
            const float *from = (const float *)b->data + d * b->stride[0];
            for (int64_t j = 0; j < n && j < 512; ++j) sums[j] += factor * from[j];
        }
        for (int64_t j = 0; j < n && j < 512; ++j) {
            float former = c->access == ASSAY_INOUT ? row[j] : 0;
#ifdef OVERWRITES
            former = 0;
#endif
            row[j] = former + sums[j];
        }
    }
    return ASSAY_OK;
}

static const struct assay_kernel kernels[] = {{.struct_size = sizeof(struct assay_kernel),
                                               .abi_version = ASSAY_ABI_VERSION,
                                               .name = "accumulate",
                                               .op = "gemm",
                                               .backend = "cpu",
                                               .supports = supports,
                                               .launch = launch}};
ASSAY_MODULE(kernels)
