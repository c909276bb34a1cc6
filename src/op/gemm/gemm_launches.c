// SPDX-License-Identifier: Apache-2.0
//
// Gemm's device kernels (device_gemm.cuh) and their arguments. Input distributions other than "normal" are
// filled by the host: they belong to small problems.
#include "op/dtype.h"
#include "op/gemm/device_gemm_args.h"
#include "op/gemm/gemm_internal.h"
#include "op/seed_stream.h"

static size_t device_fill(const struct problem *problem, const char *distribution, uint64_t seed,
                          const struct assay_tensor *tensor, const void *table,
                          struct kernel_launch ret[OP_PROGRAMS_MAX]) {
    const struct gemm_params *p = gemm_params_of(problem);
    if (!str_equal(distribution, OP_DISTRIBUTION_DEFAULT)) return 0;
    if (tensor_is_statistic(tensor)) {
        const struct dev_gemm_scale args = {.data = tensor->data,
                                            .value = (float)gemm_scale(seed, gemm_stream(tensor->name))};
        ret[0] = kernel_launch_make("assay_gemm_scale", 1, 32, &args, sizeof args);
        return 1;
    }
    const bool is_a = str_equal(tensor->name, "a"), is_b = str_equal(tensor->name, "b");
    const bool is_scaled = gemm_is_scaled(p) && (is_a || is_b);
    const uint64_t scale_stream = gemm_stream(is_a ? "a_scale" : "b_scale");
    const struct dev_gemm_fill args = {.data = tensor->data,
                                       .table = table,
                                       .rows = tensor->dim_count == 2 ? tensor->shape[0] : 1,
                                       .columns = tensor->shape[tensor->dim_count - 1],
                                       .stride = tensor->stride[0],
                                       .seed = seed,
                                       .stream = gemm_stream(tensor->name),
                                       .factor = is_scaled ? 1 / gemm_scale(seed, scale_stream) : 1,
                                       .dtype = tensor->dtype};
    ret[0] = kernel_launch_make("assay_gemm_fill", input_fill_blocks(tensor_element_count(tensor)),
                                INPUT_FILL_THREADS, &args, sizeof args);
    return 1;
}

static struct dev_gemm problem_args(const struct problem *problem, const struct assay_tensor *tensors,
                                    uint32_t row_first, uint32_t row_step) {
    const struct gemm_params *p = gemm_params_of(problem);
    const struct gemm_tensors t = gemm_tensors_find(tensors, p);
    return (struct dev_gemm){.a = t.a->data,
                             .b = t.b->data,
                             .bias = t.bias ? t.bias->data : NULL,
                             .a_scale = t.a_scale ? t.a_scale->data : NULL,
                             .b_scale = t.b_scale ? t.b_scale->data : NULL,
                             .m = p->m,
                             .n = p->n,
                             .k = p->k,
                             .stride_a = t.a->stride[0],
                             .stride_b = t.b->stride[0],
                             .dtype = p->dtype,
                             .dtype_out = p->dtype_out,
                             .is_b_transposed = p->is_b_transposed,
                             .activation = p->activation,
                             .row_first = row_first,
                             .row_step = row_step};
}

static uint32_t tile_blocks(const struct dev_gemm *args) {
    const int64_t rows = (args->m - 1) / args->row_step + 2; // at most
    return kernel_launch_blocks((rows + DEV_GEMM_TILE - 1) / DEV_GEMM_TILE *
                                ((args->n + DEV_GEMM_TILE - 1) / DEV_GEMM_TILE));
}

static size_t device_oracle(const struct problem *problem, const struct assay_tensor *tensors,
                            double *const *outputs, uint32_t row_first, uint32_t row_step,
                            struct kernel_launch ret[OP_PROGRAMS_MAX]) {
    const struct dev_gemm_oracle args = {.problem = problem_args(problem, tensors, row_first, row_step),
                                         .out = outputs[0]};
    ret[0] = kernel_launch_make("assay_gemm_oracle", tile_blocks(&args.problem), DEV_GEMM_THREADS, &args,
                                sizeof args);
    return 1;
}

static size_t device_same_precision(const struct problem *problem, const struct assay_tensor *tensors,
                                    void *const *outputs, struct kernel_launch ret[OP_PROGRAMS_MAX]) {
    const struct dev_gemm_same_precision args = {.problem = problem_args(problem, tensors, 0, 1),
                                                 .out = outputs[0]};
    ret[0] = kernel_launch_make("assay_gemm_same_precision", tile_blocks(&args.problem), DEV_GEMM_THREADS,
                                &args, sizeof args);
    return 1;
}

static const char *const device_entries[] = {"assay_gemm_fill", "assay_gemm_scale", "assay_gemm_oracle",
                                             "assay_gemm_same_precision", NULL};

const struct op_device gemm_device = {
    .entries = device_entries,
    .has_normal_table = true,
    .fill = device_fill,
    .oracle = device_oracle,
    .same_precision = device_same_precision,
};
