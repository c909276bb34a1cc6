// SPDX-License-Identifier: Apache-2.0
//
// Attention's device kernels (device_attention.cuh) and their arguments: they fill Q, K, V and the fp8
// scales, and compute the oracle and the same-precision reference. Input distributions that nothing is
// measured with are filled by the host: they belong to small problems.
#include "op/attention/attention_internal.h"
#include "op/attention/device_attention_args.h"
#include "op/dtype.h"
#include "op/seed_stream.h"

#define SCALES_THREADS 256

static size_t device_fill(const struct problem *problem, const char *distribution, uint64_t seed,
                          const struct assay_tensor *tensor, const void *table,
                          struct kernel_launch ret[OP_PROGRAMS_MAX]) {
    struct dev_attention_inputs inputs;
    if (tensor->role == ASSAY_NAMED) return 0; // a mask, a bias, Q with K and V
    if (!attention_inputs_form(attention_params_of(problem), distribution, seed, tensor->role, &inputs))
        return 0;
    const uint64_t count = tensor_element_count(tensor);
    if (tensor_is_statistic(tensor)) {
        const uint32_t blocks =
            kernel_launch_blocks((int64_t)((count + SCALES_THREADS - 1) / SCALES_THREADS));
        const struct dev_attention_scales args = {.data = tensor->data, .count = count, .inputs = inputs};
        ret[0] = kernel_launch_make("assay_attention_scales", blocks, SCALES_THREADS, &args, sizeof args);
        return 1;
    }
    struct dev_attention_fill args = {.data = tensor->data,
                                      .table = table,
                                      .stream = attention_value_stream(tensor->role),
                                      .dtype = tensor->dtype,
                                      .is_scaled = tensor->dtype == ASSAY_FP8_E4M3,
                                      .inputs = inputs};
    memcpy(args.shape, tensor->shape, sizeof args.shape);
    memcpy(args.stride, tensor->stride, sizeof args.stride);
    ret[0] = kernel_launch_make("assay_attention_fill", input_fill_blocks(count), INPUT_FILL_THREADS, &args,
                                sizeof args);
    return 1;
}

static struct dev_attention problem_args(const struct problem *problem, const struct assay_tensor *tensors,
                                         uint32_t row_first, uint32_t row_step) {
    const struct attention_params *p = attention_params_of(problem);
    struct problem_abi abi = {0};
    attention_describe(problem, &abi);
    const struct attention_tensors t = attention_tensors_find(tensors, abi.tensor_count);
    struct dev_attention args = {.q = t.q->data,
                                 .k = t.k->data,
                                 .v = t.v->data,
                                 .q_scale = t.q_scale ? t.q_scale->data : NULL,
                                 .k_scale = t.k_scale ? t.k_scale->data : NULL,
                                 .v_scale = t.v_scale ? t.v_scale->data : NULL,
                                 .batch = p->batch,
                                 .heads = p->heads,
                                 .heads_kv = p->heads_kv,
                                 .seq_q = p->seq_q,
                                 .seq_k = p->seq_k,
                                 .head_dim = p->head_dim,
                                 .scale = p->scale,
                                 .dtype_q = p->dtype_q,
                                 .dtype_kv = p->dtype_kv,
                                 .causal = p->causal,
                                 .row_step = row_step,
                                 .row_first = row_first};
    memcpy(args.stride_q, t.q->stride, sizeof args.stride_q);
    memcpy(args.stride_k, t.k->stride, sizeof args.stride_k);
    memcpy(args.stride_v, t.v->stride, sizeof args.stride_v);
    return args;
}

// The device kernels know no features: the host computes such problems.
static bool is_plain(const struct problem *problem) {
    const struct attention_params *p = attention_params_of(problem);
    return p->head_dim_v == p->head_dim && !p->window && p->softcap == 0 && !p->mask && !p->bias &&
           p->dtype_out == attention_dtype_out_default(p->dtype_q) && !p->is_packed;
}

// Tiles of query rows: a block works on one at a time.
static int64_t row_tiles(const struct dev_attention *args) {
    const int64_t rows = (args->seq_q - 1) / args->row_step + 2; // at most
    return args->batch * args->heads * ((rows + DEV_ATTENTION_TILE - 1) / DEV_ATTENTION_TILE);
}

static size_t device_oracle(const struct problem *problem, const struct assay_tensor *tensors,
                            double *const *outputs, uint32_t row_first, uint32_t row_step,
                            struct kernel_launch ret[OP_PROGRAMS_MAX]) {
    if (!is_plain(problem)) return 0;
    const struct dev_attention_oracle args = {.problem = problem_args(problem, tensors, row_first, row_step),
                                              .out = outputs[0],
                                              .lse =
                                                  attention_params_of(problem)->has_lse ? outputs[1] : NULL};
    const int64_t chunks = (args.problem.head_dim + DEV_ATTENTION_TILE - 1) / DEV_ATTENTION_TILE;
    ret[0] =
        kernel_launch_make("assay_attention_oracle", kernel_launch_blocks(row_tiles(&args.problem) * chunks),
                           DEV_ATTENTION_THREADS, &args, sizeof args);
    return 1;
}

static size_t device_same_precision(const struct problem *problem, const struct assay_tensor *tensors,
                                    void *const *outputs, struct kernel_launch ret[OP_PROGRAMS_MAX]) {
    const struct attention_params *p = attention_params_of(problem);
    if (!is_plain(problem)) return 0;
    const struct dev_attention_same_precision args = {.problem = problem_args(problem, tensors, 0, 1),
                                                      .out = outputs[0],
                                                      .lse = p->has_lse ? outputs[1] : NULL,
                                                      .dtype_out = p->dtype_out};
    ret[0] =
        kernel_launch_make("assay_attention_same_precision", kernel_launch_blocks(row_tiles(&args.problem)),
                           DEV_ATTENTION_THREADS, &args, sizeof args);
    return 1;
}

static const char *const device_entries[] = {"assay_attention_fill", "assay_attention_scales",
                                             "assay_attention_oracle", "assay_attention_same_precision",
                                             NULL};

const struct op_device attention_device = {
    .entries = device_entries,
    .has_normal_table = true,
    .fill = device_fill,
    .oracle = device_oracle,
    .same_precision = device_same_precision,
};
