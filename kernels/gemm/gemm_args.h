// SPDX-License-Identifier: Apache-2.0
//
// A gemm problem in plain numbers: struct gemm_args (extents, layout, strides, epilogue), read once in
// prepare, and struct gemm_data (pointers), read in every launch. C = act(A B + bias [+ C]), A [m][k], B
// [k][n] or, transposed, [n][k], C [m][n], rows contiguous. Strides are in elements, between rows.
#ifndef GEMM_GEMM_ARGS_H
#define GEMM_GEMM_ARGS_H

#include <assay/kernel.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/convert.h"

#define GEMM_ACTIVATION_NONE 0
#define GEMM_ACTIVATION_RELU 1 // NaN stays NaN
#define GEMM_ACTIVATION_GELU 2 // x Phi(x), by erf

struct gemm_args {
    int64_t m, n, k;
    int64_t stride_a, stride_b, stride_c;
    int32_t dtype;     // of A and B
    int32_t dtype_out; // of C and the bias
    int32_t activation;
    bool is_b_transposed, has_bias, has_scales;
    bool is_accumulating; // what C held is added before the activation
};

// The pointers of one launch: data of the host or of the device. bias and scales are null if there are none.
struct gemm_data {
    const char *a, *b, *bias;
    const float *a_scale, *b_scale; // fp8: value = element * scale
    char *c;
};

static inline int64_t gemm_axis(const struct assay_problem *problem, const char *name) {
    const double value = assay_scalar_get(problem->scalars, problem->scalar_count, name, -1.0);
    return value >= 1.0 && value <= 0x1p40 ? (int64_t)value : -1;
}

static inline bool gemm_is_matrix(const struct assay_tensor *tensor, int64_t rows, int64_t columns) {
    return tensor && tensor->dim_count == 2 && tensor->shape[0] == rows && tensor->shape[1] == columns &&
           tensor->stride[1] == 1 && convert_dtype_bytes(tensor->dtype) > 0;
}

static inline int gemm_args_read(const struct assay_problem *problem, struct gemm_args *ret,
                                 struct assay_message *message) {
    struct gemm_args args = {
        .m = gemm_axis(problem, "m"), .n = gemm_axis(problem, "n"), .k = gemm_axis(problem, "k")};
    if (args.m < 1 || args.n < 1 || args.k < 1)
        return assay_say(message, ASSAY_UNSUPPORTED, "an extent of the product is missing or below 1");
    const double transposed = assay_scalar_get(problem->scalars, problem->scalar_count, "b_transposed", 0.0);
    const double activation = assay_scalar_get(problem->scalars, problem->scalar_count, "activation", 0.0);
    if (!(activation == 0.0 || activation == 1.0 || activation == 2.0))
        return assay_say(message, ASSAY_UNSUPPORTED, "unknown activation");
    args.is_b_transposed = transposed != 0.0;
    args.activation = (int32_t)activation;
    const struct assay_tensors *tensors = &problem->tensors;
    const struct assay_tensor *a = assay_tensor_named(tensors, "a"), *b = assay_tensor_named(tensors, "b");
    const struct assay_tensor *c = assay_tensor_named(tensors, "c");
    const struct assay_tensor *bias = assay_tensor_named(tensors, "bias");
    const bool is_known =
        gemm_is_matrix(a, args.m, args.k) && gemm_is_matrix(c, args.m, args.n) &&
        (args.is_b_transposed ? gemm_is_matrix(b, args.n, args.k) : gemm_is_matrix(b, args.k, args.n));
    if (!is_known || a->dtype != b->dtype || (bias && bias->dtype != c->dtype))
        return assay_say(
            message, ASSAY_UNSUPPORTED,
            "A, B or C is missing, or its shape, stride or dtype is none that this kernel reads");
    args.dtype = a->dtype;
    args.dtype_out = c->dtype;
    args.stride_a = a->stride[0];
    args.stride_b = b->stride[0];
    args.stride_c = c->stride[0];
    args.has_bias = bias != NULL;
    args.is_accumulating = c->access == ASSAY_INOUT;
    args.has_scales = assay_tensor_named(tensors, "a_scale") && assay_tensor_named(tensors, "b_scale");
    *ret = args;
    return ASSAY_OK;
}

static inline void *gemm_pointer(const struct assay_tensors *tensors, const char *name) {
    const struct assay_tensor *tensor = assay_tensor_named(tensors, name);
    return tensor ? tensor->data : NULL;
}

static inline int gemm_data_read(const struct assay_tensors *tensors, struct gemm_data *ret,
                                 struct assay_message *message) {
    ret->a = (const char *)gemm_pointer(tensors, "a");
    ret->b = (const char *)gemm_pointer(tensors, "b");
    ret->bias = (const char *)gemm_pointer(tensors, "bias");
    ret->a_scale = (const float *)gemm_pointer(tensors, "a_scale");
    ret->b_scale = (const float *)gemm_pointer(tensors, "b_scale");
    ret->c = (char *)gemm_pointer(tensors, "c");
    if (!ret->a || !ret->b || !ret->c)
        return assay_say(message, ASSAY_FAILED, "launch got no data for A, B or C");
    return ASSAY_OK;
}

// The factor of all sums: 1 but in fp8. Scales lie in the memory that the kernel runs on.
static inline float gemm_scale_of(const struct gemm_data *data) {
    return data->a_scale && data->b_scale ? *data->a_scale * *data->b_scale : 1.0f;
}

static inline float gemm_activate(float x, int32_t activation) {
    if (activation == GEMM_ACTIVATION_RELU) return x > 0.0f || x != x ? x : 0.0f;
    if (activation == GEMM_ACTIVATION_GELU) return 0.5f * x * erfcf(-x * 0.70710678f);
    return x;
}

#endif
