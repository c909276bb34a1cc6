// SPDX-License-Identifier: Apache-2.0
//
// Attention composed from BLAS products: the peer that kernels/attention/simd.c is compared with. For each
// block of BLOCK_M query rows of one head: scores by cblas_sgemm, softmax over whole rows with simd's exp2
// and conversions (common/row_math.h), P V by cblas_sgemm. fp32. OpenBLAS runs each product on the calling
// thread; the host's threads share the blocks. A masked key has P = 0 here, so a NaN in its V spreads.
// Links with -lopenblas.
#include <assay/kernel.h>
#include <cblas.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "attention/attention_args.h"
#include "common/cpu_threads.h"

#if defined(__x86_64__)
#include "common/vec_avx512.h"

#include "common/row_math.h"
#include "row_softmax.h"

#include "common/vec_avx2.h"

#include "common/row_math.h"
#include "row_softmax.h"
#endif
#if defined(__aarch64__)
#include "common/vec_neon.h"

#include "common/row_math.h"
#include "row_softmax.h"
#endif
#include "common/vec_plain.h"

#include "common/row_math.h"
#include "row_softmax.h"

#ifndef BLOCK_M
#define BLOCK_M 256
#endif

struct peer_state {
    struct attention_args args;
    uint32_t thread_count;
    int64_t block_count;   // blocks of query rows in one head
    int64_t score_stride;  // keys of a row of scores, rounded up to the longest vector
    int64_t thread_floats; // workspace of one thread
    void (*softmax_step)(float *scores, int64_t count, float factor, struct row_softmax *softmax);
};

struct peer_job {
    const struct peer_state *state;
    struct attention_data data;
    float *workspace;
};

typedef void softmax_fn(float *scores, int64_t count, float factor, struct row_softmax *softmax);

static softmax_fn *peer_softmax_find(void) {
#if defined(__x86_64__)
    if (vec_avx512_is_present()) return row_softmax_step_avx512;
    if (vec_avx2_is_present()) return row_softmax_step_avx2;
#elif defined(__aarch64__)
    return row_softmax_step_neon;
#endif
    return row_softmax_step_plain;
}

// Scores of the block's rows become P, normalised; keys that a row does not see get 0.
static void peer_softmax(const struct peer_job *job, int64_t head_index, int64_t first_row, int64_t row_count,
                         float *scores) {
    const struct peer_state *state = job->state;
    const struct attention_args *args = &state->args;
    const float factor = (float)((double)args->scale * ROW_LOG2E);
    const int64_t key_count = attention_visible_keys(args, first_row + row_count - 1);
    for (int64_t r = 0; r < row_count; ++r) {
        const int64_t visible = attention_visible_keys(args, first_row + r);
        float *row = scores + r * state->score_stride;
        struct row_softmax softmax = {-INFINITY, 0.0f, 1.0f};
        if (visible > 0) state->softmax_step(row, visible, factor, &softmax);
        const float inverse = softmax.sum > 0.0f ? 1.0f / softmax.sum : NAN;
        for (int64_t j = 0; j < visible; ++j) row[j] *= inverse;
        for (int64_t j = visible; j < key_count; ++j) row[j] = 0.0f;
        if (job->data.lse)
            job->data.lse[head_index * args->seq_q + first_row + r] =
                visible > 0 ? (float)(((double)softmax.base + log2((double)softmax.sum)) * ROW_LN2)
                            : -INFINITY;
    }
}

static void peer_run(void *arg, int64_t index, uint32_t thread) {
    const struct peer_job *job = (const struct peer_job *)arg;
    const struct peer_state *state = job->state;
    const struct attention_args *args = &state->args;
    const int64_t head_index = index / state->block_count;
    const int64_t batch = head_index / args->heads, head = head_index % args->heads,
                  head_kv = head / args->group;
    const int64_t first_row = index % state->block_count * BLOCK_M;
    const int64_t row_count = args->seq_q - first_row < BLOCK_M ? args->seq_q - first_row : BLOCK_M;
    const int64_t key_count = attention_visible_keys(args, first_row + row_count - 1);
    float *scores = job->workspace + (int64_t)thread * state->thread_floats;
    const float *q =
        (const float *)(const void *)(job->data.q + attention_row_bytes(&args->q, batch, head, first_row));
    const float *k =
        (const float *)(const void *)(job->data.k + attention_row_bytes(&args->k, batch, head_kv, 0));
    const float *v =
        (const float *)(const void *)(job->data.v + attention_row_bytes(&args->v, batch, head_kv, 0));
    float *o = (float *)(void *)(job->data.o + attention_row_bytes(&args->o, batch, head, first_row));

    const int rows = (int)row_count, keys = (int)key_count, dim = (int)args->head_dim,
              stride = (int)state->score_stride;
    if (keys > 0)
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, keys, dim, 1.0f, q,
                    (int)args->q.stride_row, k, (int)args->k.stride_row, 0.0f, scores, stride);
    peer_softmax(job, head_index, first_row, row_count, scores);
    if (keys > 0)
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, dim, keys, 1.0f, scores, stride, v,
                    (int)args->v.stride_row, 0.0f, o, (int)args->o.stride_row);
    for (int64_t r = 0; keys == 0 && r < row_count; ++r)
        memset(o + r * args->o.stride_row, 0, (size_t)dim * sizeof(float));
}

static int peer_supports(const struct assay_problem *problem, struct assay_message *message) {
    struct attention_args args;
    const int status = attention_args_read(problem, &args, message);
    if (status != ASSAY_OK) return status;
    if (args.q.dtype != ASSAY_FP32 || args.k.dtype != ASSAY_FP32 || args.v.dtype != ASSAY_FP32 ||
        args.o.dtype != ASSAY_FP32)
        return assay_say(message, ASSAY_UNSUPPORTED, "openblas takes fp32 only");
    if (!(args.scale > 0.0f))
        return assay_say(message, ASSAY_UNSUPPORTED, "openblas takes scales above 0 only");
    if (args.seq_k > INT_MAX / 2 || args.head_dim > INT_MAX || args.q.stride_row > INT_MAX ||
        args.k.stride_row > INT_MAX || args.v.stride_row > INT_MAX || args.o.stride_row > INT_MAX)
        return assay_say(message, ASSAY_UNSUPPORTED, "a size or stride is beyond BLAS integers");
    return ASSAY_OK;
}

static int peer_prepare(const struct assay_problem *problem, const struct assay_env *env, void **state,
                        size_t *workspace_bytes, struct assay_message *message) {
    struct attention_args args;
    const int status = attention_args_read(problem, &args, message);
    if (status != ASSAY_OK) return status;
    struct peer_state *self = (struct peer_state *)calloc(1, sizeof *self);
    if (!self) return assay_say(message, ASSAY_FAILED, "out of memory");
    openblas_set_num_threads(1);
    self->args = args;
    self->thread_count = cpu_thread_count(env);
    self->block_count = (args.seq_q + BLOCK_M - 1) / BLOCK_M;
    self->score_stride =
        (args.seq_k + 15) / 16 * 16 + 16; // odd multiples of a cache line spread over the sets
    self->softmax_step = peer_softmax_find();
    self->thread_floats = (BLOCK_M * self->score_stride + 63) / 64 * 64;
    *workspace_bytes = (size_t)self->thread_floats * self->thread_count * sizeof(float);
    *state = self;
    return ASSAY_OK;
}

static int peer_launch(void *state, const struct assay_tensors *tensors, void *workspace, void *stream,
                       struct assay_message *message) {
    struct peer_job job = {.state = (const struct peer_state *)state, .workspace = (float *)workspace};
    const int status = attention_data_read(tensors, &job.data, message);
    if (status != ASSAY_OK) return status;
    const int64_t count = job.state->args.batch * job.state->args.heads * job.state->block_count;
    cpu_parallel_for(stream, job.state->thread_count, count, peer_run, &job);
    return ASSAY_OK;
}

static void peer_release(void *state) {
    free(state);
}

static const struct assay_kernel peer_kernels[] = {{
    .struct_size = sizeof(struct assay_kernel),
    .abi_version = ASSAY_ABI_VERSION,
    .name = "openblas",
    .op = "attention",
    .backend = "cpu",
    .supports = peer_supports,
    .launch = peer_launch,
    .prepare = peer_prepare,
    .release = peer_release,
    .summary = "composed from OpenBLAS products and simd's softmax; fp32",
}};

ASSAY_MODULE(peer_kernels)
