// SPDX-License-Identifier: Apache-2.0
//
// The operator "gemm": C = act(A B + bias), row-major. Parameters and functions of its files.
#ifndef OP_GEMM_GEMM_INTERNAL_H
#define OP_GEMM_GEMM_INTERNAL_H

#include "op/mutant.h"
#include "op/operator.h"

enum gemm_activation { GEMM_NONE = 0, GEMM_RELU = 1, GEMM_GELU = 2 }; // gelu: x Phi(x), by erf

struct gemm_params {
    int64_t m, n, k;
    int32_t dtype;        // of A and B
    int32_t dtype_out;    // of C and the bias
    bool is_b_transposed; // B is stored as [n][k], as the weights of a linear layer are; else [k][n]
    bool has_bias;        // [n], added to every row
    int32_t activation;   // enum gemm_activation
    bool is_accumulating; // C is in-out: what it held is added before the activation
};

struct gemm_tensors {
    const struct assay_tensor *a, *b, *bias, *a_scale, *b_scale,
        *c; // bias and scales: NULL when there are none
};

static inline const struct gemm_params *gemm_params_of(const struct problem *problem) {
    return (const struct gemm_params *)(const void *)problem->params;
}
static inline bool gemm_is_scaled(const struct gemm_params *params) { // value = element * scale of the tensor
    return params->dtype == ASSAY_FP8_E4M3;
}

// gemm_problem.c
int32_t gemm_dtype_out_default(int32_t dtype);
void gemm_describe(const struct problem *problem, struct problem_abi *ret);
struct gemm_tensors gemm_tensors_find(const struct assay_tensor *tensors, const struct gemm_params *params);
double gemm_flops(const struct problem *problem);
double gemm_bytes(const struct problem *problem);

// gemm_inputs.c
extern const char *const gemm_distributions[]; // besides "normal"
bool gemm_distribution_applies(const struct problem *problem, const char *distribution);
int gemm_fill(const struct problem *problem, const char *distribution, uint64_t seed, uint32_t tensor_index,
              const struct assay_tensor *tensor, struct err *err);
uint64_t gemm_stream(const char *tensor_name);     // random stream of a tensor's values, or of its scale
double gemm_scale(uint64_t seed, uint64_t stream); // of an fp8 tensor

// gemm_oracle.c
int gemm_oracle(const struct problem *problem, const struct assay_tensor *tensors, double *const *outputs,
                const struct assay_cpu_stream *stream, struct err *err);
int gemm_oracle_rows(const struct problem *problem, const struct assay_tensor *tensors,
                     const struct op_rows *rows, double *const *outputs, struct err *err);

// gemm_cases.c
struct op_tolerance gemm_tolerance(const struct problem *problem, const char *distribution,
                                   uint32_t tensor_index);
void gemm_slice_counts(const struct problem *problem, uint64_t *ret_groups, uint64_t *ret_rows);
void gemm_slice(const struct problem *problem, const struct assay_tensor *tensors, uint64_t group,
                uint64_t row, struct op_slice *ret);
int64_t gemm_size(const struct problem *problem, size_t axis);
bool gemm_resize(const struct problem *problem, size_t axis, int64_t size, struct problem *ret);
bool gemm_drop_option(struct problem *problem, size_t step);
extern const struct mutant gemm_mutants[];
extern const struct op_suite gemm_suites[];
extern const struct op_peer gemm_peers[];

// gemm_boundary.c
extern const struct op_boundary gemm_boundary[];
void gemm_draw(const struct operator_def *op, struct dice *dice, struct strbuf *ret_fields);

// gemm_launches.c
extern const struct op_device gemm_device;

#endif
