// SPDX-License-Identifier: Apache-2.0
//
// A kernel of ABI version 1: compiled against assay/kernel.h as it was then (beside this file), so that
// hosts of later versions keep loading it.
#include <assay/kernel.h>

#if ASSAY_ABI_VERSION != 1
#error "this kernel must see the header of version 1"
#endif

static int supports(const struct assay_problem *problem, struct assay_message *message) {
    if (assay_tensor_find(&problem->tensors, ASSAY_X)->dtype == ASSAY_FP32) return ASSAY_OK;
    return assay_say(message, ASSAY_UNSUPPORTED, "fp32 only");
}

static double factor;

static int prepare(const struct assay_problem *problem, const struct assay_env *env, void **state,
                   size_t *workspace_bytes, struct assay_message *message) {
    (void)env, (void)workspace_bytes, (void)message;
    factor = assay_scalar_get(problem->scalars, problem->scalar_count, "factor", 1.0);
    *state = &factor;
    return ASSAY_OK;
}

static int launch(void *state, const struct assay_tensors *tensors, void *workspace, void *stream,
                  struct assay_message *message) {
    (void)workspace, (void)stream, (void)message;
    const struct assay_tensor *x = assay_tensor_find(tensors, ASSAY_X),
                              *y = assay_tensor_find(tensors, ASSAY_Y);
    for (int64_t i = 0; i < x->shape[0]; ++i)
        ((float *)y->data)[i] = (float)*(double *)state * ((const float *)x->data)[i];
    return ASSAY_OK;
}

static const struct assay_kernel kernels[] = {{.struct_size = sizeof(struct assay_kernel),
                                               .abi_version = ASSAY_ABI_VERSION,
                                               .name = "scale_abi1",
                                               .op = "scale",
                                               .backend = "cpu",
                                               .supports = supports,
                                               .launch = launch,
                                               .prepare = prepare}};
ASSAY_MODULE(kernels)
