// SPDX-License-Identifier: Apache-2.0
//
// Gemm's problems: tensors, scalars, and how much work they are.
#include <string.h>

#include "op/dtype.h"
#include "op/gemm/gemm_internal.h"

#define ROW_BYTES 16 // rows begin at multiples of it

int32_t gemm_dtype_out_default(int32_t dtype) {
    return dtype == ASSAY_FP8_E4M3 ? ASSAY_BF16 : dtype;
}

// ---- tensors ----

static struct assay_tensor matrix(const char *name, int32_t access, int32_t dtype, int64_t rows,
                                  int64_t columns) {
    const int64_t element = (int64_t)dtype_bytes(dtype);
    const int64_t pitch = (columns * element + ROW_BYTES - 1) / ROW_BYTES * ROW_BYTES / element;
    return (struct assay_tensor){.name = name,
                                 .role = ASSAY_NAMED,
                                 .access = access,
                                 .dtype = dtype,
                                 .dim_count = 2,
                                 .shape = {rows, columns},
                                 .stride = {pitch, 1}};
}

static struct assay_tensor vector(const char *name, int32_t dtype, int64_t count, uint32_t flags) {
    return (struct assay_tensor){.name = name,
                                 .role = ASSAY_NAMED,
                                 .access = ASSAY_IN,
                                 .dtype = dtype,
                                 .dim_count = 1,
                                 .shape = {count},
                                 .stride = {1},
                                 .flags = flags};
}

// A, B, then the bias and the scales of fp8 where there are any, C.
void gemm_describe(const struct problem *problem, struct problem_abi *ret) {
    const struct gemm_params *p = gemm_params_of(problem);
    uint32_t n = 0;
    ret->tensors[n++] = matrix("a", ASSAY_IN, p->dtype, p->m, p->k);
    ret->tensors[n++] = p->is_b_transposed ? matrix("b", ASSAY_IN, p->dtype, p->n, p->k)
                                           : matrix("b", ASSAY_IN, p->dtype, p->k, p->n);
    if (p->has_bias) ret->tensors[n++] = vector("bias", p->dtype_out, p->n, 0);
    if (gemm_is_scaled(p)) {
        ret->tensors[n++] = vector("a_scale", ASSAY_FP32, 1, ASSAY_STATISTIC);
        ret->tensors[n++] = vector("b_scale", ASSAY_FP32, 1, ASSAY_STATISTIC);
    }
    ret->tensors[n++] = matrix("c", p->is_accumulating ? ASSAY_INOUT : ASSAY_OUT, p->dtype_out, p->m, p->n);
    ret->tensor_count = n;

    const struct assay_scalar values[] = {{"m", (double)p->m},
                                          {"n", (double)p->n},
                                          {"k", (double)p->k},
                                          {"b_transposed", p->is_b_transposed},
                                          {"activation", (double)p->activation},
                                          {"accumulates", p->is_accumulating}};
    memcpy(ret->scalars, values, sizeof values);
    ret->problem.scalar_count = sizeof values / sizeof values[0];
    ret->problem.axis_count = 3;
}

struct gemm_tensors gemm_tensors_find(const struct assay_tensor *tensors, const struct gemm_params *params) {
    struct gemm_tensors ret = {.a = &tensors[0], .b = &tensors[1]};
    uint32_t n = 2;
    if (params->has_bias) ret.bias = &tensors[n++];
    if (gemm_is_scaled(params)) {
        ret.a_scale = &tensors[n++];
        ret.b_scale = &tensors[n++];
    }
    ret.c = &tensors[n];
    return ret;
}

// ---- work ----

// What the literature counts: a multiplication and an addition a term. Bias and activation are free.
double gemm_flops(const struct problem *problem) {
    const struct gemm_params *p = gemm_params_of(problem);
    return 2.0 * (double)p->m * (double)p->n * (double)p->k;
}

double gemm_bytes(const struct problem *problem) {
    struct problem_abi abi = {0};
    gemm_describe(problem, &abi);
    double bytes = 0;
    for (uint32_t i = 0; i < abi.tensor_count; ++i)
        bytes += (double)tensor_element_count(&abi.tensors[i]) * (double)dtype_bytes(abi.tensors[i].dtype) *
                 (abi.tensors[i].access == ASSAY_INOUT ? 2 : 1); // read and written
    return bytes;
}
