// SPDX-License-Identifier: Apache-2.0
//
// C = act(A B + bias) in plain C: the first rung, and the same-precision reference of the 2 x error rule.
//
// Algorithm: rows of C are spread over the threads; a row is summed term by term, upwards along k, all
// columns of a panel at a time.
// Precision: products and sums in fp32, each rounded; C is rounded to its dtype once.
// Shapes: any sizes, strides and dtypes, both layouts of B.
//
// Working set a thread: a panel of B's rows in fp32 (256 columns), one row of A, one of sums.
// Expected limit: multiplies and adds of the baseline vector unit; B is read from memory for every row of C,
// and column by column where it is transposed.
#include <assay/kernel.h>
#include <stdlib.h>
#include <string.h>

#include "common/convert.h"
#include "common/cpu_threads.h"
#include "gemm/gemm_args.h"

#define COLUMNS 256

struct naive_gemm {
    struct gemm_args args;
    uint32_t thread_count;
    int64_t thread_floats; // workspace of one thread
};

struct naive_gemm_job {
    const struct naive_gemm *state;
    struct gemm_data data;
    float *workspace;
};

static float element(const char *data, int64_t index, int32_t dtype) {
    float value;
    convert_row_to_float(data + index * (int64_t)convert_dtype_bytes(dtype), dtype, 1, &value);
    return value;
}

// sums[c] += a[d] B[d][first + c] for all d.
static void naive_gemm_columns(const struct naive_gemm_job *job, const float *a, int64_t first, int64_t count,
                               float *row, float *sums) {
    const struct gemm_args *args = &job->state->args;
    const int64_t bytes = (int64_t)convert_dtype_bytes(args->dtype);
    memset(sums, 0, (size_t)count * sizeof *sums);
    for (int64_t d = 0; d < args->k && !args->is_b_transposed; ++d) {
        convert_row_to_float(job->data.b + (d * args->stride_b + first) * bytes, args->dtype, count, row);
        for (int64_t c = 0; c < count; ++c) sums[c] += a[d] * row[c];
    }
    for (int64_t c = 0; c < count && args->is_b_transposed; ++c) {
        convert_row_to_float(job->data.b + (first + c) * args->stride_b * bytes, args->dtype, args->k, row);
        for (int64_t d = 0; d < args->k; ++d) sums[c] += a[d] * row[d];
    }
}

static void naive_gemm_row(void *arg, int64_t index, uint32_t thread) {
    const struct naive_gemm_job *job = (const struct naive_gemm_job *)arg;
    const struct gemm_args *args = &job->state->args;
    float *a = job->workspace + (int64_t)thread * job->state->thread_floats, *row = a + args->k;
    float *sums = row + (args->k > COLUMNS ? args->k : COLUMNS);
    const int64_t in = (int64_t)convert_dtype_bytes(args->dtype);
    const int64_t out = (int64_t)convert_dtype_bytes(args->dtype_out);
    const float scale = gemm_scale_of(&job->data);
    convert_row_to_float(job->data.a + index * args->stride_a * in, args->dtype, args->k, a);
    for (int64_t first = 0; first < args->n; first += COLUMNS) {
        const int64_t count = args->n - first < COLUMNS ? args->n - first : COLUMNS;
        char *c_row = job->data.c + (index * args->stride_c + first) * out;
        naive_gemm_columns(job, a, first, count, row, sums);
        for (int64_t c = 0; c < count; ++c) {
            float value = job->data.a_scale ? sums[c] * scale : sums[c];
            if (job->data.bias) value += element(job->data.bias, first + c, args->dtype_out);
            if (args->is_accumulating) value += element(c_row, c, args->dtype_out);
            sums[c] = gemm_activate(value, args->activation);
        }
        convert_row_from_float(sums, args->dtype_out, count, c_row);
    }
}

static int naive_gemm_supports(const struct assay_problem *problem, struct assay_message *message) {
    struct gemm_args args;
    return gemm_args_read(problem, &args, message);
}

static int naive_gemm_prepare(const struct assay_problem *problem, const struct assay_env *env, void **state,
                              size_t *workspace_bytes, struct assay_message *message) {
    struct gemm_args args;
    const int status = gemm_args_read(problem, &args, message);
    if (status != ASSAY_OK) return status;
    struct naive_gemm *self = (struct naive_gemm *)calloc(1, sizeof *self);
    if (!self) return assay_say(message, ASSAY_FAILED, "out of memory");
    self->args = args;
    self->thread_count = cpu_thread_count(env);
    const int64_t floats = args.k + (args.k > COLUMNS ? args.k : COLUMNS) + COLUMNS;
    self->thread_floats = (floats + 63) / 64 * 64; // whole cache lines: threads share none
    *workspace_bytes = (size_t)self->thread_floats * self->thread_count * sizeof(float);
    *state = self;
    return ASSAY_OK;
}

static int naive_gemm_launch(void *state, const struct assay_tensors *tensors, void *workspace, void *stream,
                             struct assay_message *message) {
    struct naive_gemm_job job = {.state = (const struct naive_gemm *)state, .workspace = (float *)workspace};
    const int status = gemm_data_read(tensors, &job.data, message);
    if (status != ASSAY_OK) return status;
    cpu_parallel_for(stream, job.state->thread_count, job.state->args.m, naive_gemm_row, &job);
    return ASSAY_OK;
}

static void naive_gemm_release(void *state) {
    free(state);
}

static const struct assay_kernel naive_gemm_kernels[] = {{
    .struct_size = sizeof(struct assay_kernel),
    .abi_version = ASSAY_ABI_VERSION,
    .name = "gemm_naive",
    .op = "gemm",
    .backend = "cpu",
    .supports = naive_gemm_supports,
    .launch = naive_gemm_launch,
    .prepare = naive_gemm_prepare,
    .release = naive_gemm_release,
    .summary = "plain C, sums in fp32 along k; the same-precision reference of the 2 x error rule",
}};

ASSAY_MODULE(naive_gemm_kernels)
