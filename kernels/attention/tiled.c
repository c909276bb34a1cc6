// SPDX-License-Identifier: Apache-2.0
//
// Attention forward, portable C, blocked, online softmax, fp32 arithmetic: the second rung.
//
// Algorithm: a task is BLOCK_M query rows of one head. K and V come in blocks of BLOCK_N keys, converted
// to fp32 once per task, K transposed; per block scores, running maximum and sum (O is rescaled when the
// maximum grows), P V.
// Shapes: any sizes and strides; fp32, fp16, bf16; both causal kinds (blocks above the diagonal are
// skipped, rows on it stop at their own key); grouped heads. Not fp8.
//
// Working set a thread: 4 (2 BLOCK_M D + 2 BLOCK_N D + BLOCK_M BLOCK_N) bytes; 80 KiB at 64 x 64 and D =
// 64.
// Expected limit: loads, stores, multiplies and adds of the baseline vector unit (4 lanes on x86-64),
// then expf.
// Tried and lost (S = 512, D = 64): scores one key at a time (3 x slower: a sum over D does not vectorise
// without fast math); P V one key at a time (1.4 x slower: O is loaded and stored for every product);
// scores four dimensions at a time (no faster: the sums stay in the L1); BLOCK_M of 16 (10 % slower: K
// and V are converted more often).
#include <assay/kernel.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attention/attention_args.h"
#include "common/convert.h"
#include "common/cpu_threads.h"

#ifndef BLOCK_M
#define BLOCK_M 64
#endif
#ifndef BLOCK_N
#define BLOCK_N 64
#endif
#ifndef UNROLL_KEYS
#define UNROLL_KEYS 4
#endif

// 64 KiB of scores: a larger tile pushes itself, K and V out of the L2 of small cores.
#define TILE_SCORES_MAX 16384

struct tiled_state {
    struct attention_args args;
    uint32_t thread_count;
    int64_t row_block_count;
    int64_t thread_floats; // workspace of one thread
};

struct tiled_job {
    const struct tiled_state *state;
    struct attention_data data;
    float *workspace;
};

// One thread's part of the workspace, and the task at hand.
struct tiled_task {
    const struct attention_args *args;
    float *q;      // [row][dim], scaled
    float *o;      // [row][dim]
    float *k;      // [dim][key]: transposed
    float *v;      // [key][dim]
    float *scores; // [row][key]
    int64_t batch, head, first_row, row_count;
    float max[BLOCK_M], sum[BLOCK_M];
};

static void tiled_load_queries(struct tiled_task *task, const struct attention_data *data) {
    const struct attention_args *args = task->args;
    for (int64_t r = 0; r < task->row_count; ++r) {
        float *row = task->q + r * args->head_dim;
        const int64_t offset = attention_row_bytes(&args->q, task->batch, task->head, task->first_row + r);
        convert_row_to_float(data->q + offset, args->q.dtype, args->head_dim, row);
        for (int64_t d = 0; d < args->head_dim; ++d) row[d] *= args->scale;
        task->max[r] = -INFINITY;
        task->sum[r] = 0.0f;
    }
    memset(task->o, 0, (size_t)(task->row_count * args->head_dim) * sizeof(float));
}

// Keys past the block's end read as zero; no row ever uses their scores.
static void tiled_load_keys(struct tiled_task *task, const struct attention_data *data, int64_t first_key,
                            int64_t key_count) {
    const struct attention_args *args = task->args;
    const int64_t dim = args->head_dim, head_kv = task->head / args->group;
    for (int64_t j = 0; j < key_count; ++j) {
        float *row = task->v + j * dim; // K goes through V's buffer before it is transposed
        convert_row_to_float(data->k + attention_row_bytes(&args->k, task->batch, head_kv, first_key + j),
                             args->k.dtype, dim, row);
        for (int64_t d = 0; d < dim; ++d) task->k[d * BLOCK_N + j] = row[d];
        convert_row_to_float(data->v + attention_row_bytes(&args->v, task->batch, head_kv, first_key + j),
                             args->v.dtype, dim, row);
    }
    for (int64_t d = 0; key_count < BLOCK_N && d < dim; ++d)
        memset(task->k + d * BLOCK_N + key_count, 0, (size_t)(BLOCK_N - key_count) * sizeof(float));
}

static void tiled_scores(const struct tiled_task *task, int64_t row) {
    const int64_t dim = task->args->head_dim;
    const float *q = task->q + row * dim;
    float sum[BLOCK_N] = {0};
    for (int64_t d = 0; d < dim; ++d)
        for (int64_t j = 0; j < BLOCK_N; ++j) sum[j] += q[d] * task->k[d * BLOCK_N + j];
    memcpy(task->scores + row * BLOCK_N, sum, sizeof sum);
}

// Online softmax of one row: visible scores become P; O and the sum are rescaled to the new maximum.
static void tiled_softmax(struct tiled_task *task, int64_t row, int64_t visible) {
    float *scores = task->scores + row * BLOCK_N, *o = task->o + row * task->args->head_dim;
    float max = task->max[row], sum = 0.0f;
    for (int64_t j = 0; j < visible; ++j)
        if (scores[j] > max) max = scores[j];          // ignores NaN, which makes the sum NaN below
    const float shift = max == -INFINITY ? 0.0f : max; // only -inf so far: P is 0, not NaN
    const float old_scale = expf(task->max[row] - shift);
    for (int64_t j = 0; j < visible; ++j) {
        scores[j] = expf(scores[j] - shift);
        sum += scores[j];
    }
    task->max[row] = max;
    task->sum[row] = task->sum[row] * old_scale + sum;
    if (old_scale != 1.0f)
        for (int64_t d = 0; d < task->args->head_dim; ++d) o[d] *= old_scale;
}

// One element of P V over UNROLL_KEYS keys, added in pairs.
static inline float tiled_sum2(const float *p, const float *v, int64_t dim) {
    return p[0] * v[0] + p[1] * v[dim];
}

static inline float tiled_sum4(const float *p, const float *v, int64_t dim) {
    return tiled_sum2(p, v, dim) + tiled_sum2(p + 2, v + 2 * dim, dim);
}

static inline float tiled_sum(const float p[UNROLL_KEYS], const float *v, int64_t dim) {
#if UNROLL_KEYS == 8
    return tiled_sum4(p, v, dim) + tiled_sum4(p + 4, v + 4 * dim, dim);
#elif UNROLL_KEYS == 4
    return tiled_sum4(p, v, dim);
#elif UNROLL_KEYS == 2
    return tiled_sum2(p, v, dim);
#else
    return p[0] * v[0];
#endif
}

static void tiled_values(const struct tiled_task *task, int64_t row, int64_t visible) {
    const int64_t dim = task->args->head_dim;
    const float *p = task->scores + row * BLOCK_N;
    float *o = task->o + row * dim;
    int64_t j = 0;
    for (; j + UNROLL_KEYS <= visible; j += UNROLL_KEYS) {
        float weights[UNROLL_KEYS]; // out of memory that o may overlap
        const float *v = task->v + j * dim;
        memcpy(weights, p + j, sizeof weights);
        for (int64_t d = 0; d < dim; ++d) o[d] += tiled_sum(weights, v + d, dim);
    }
    for (; j < visible; ++j)
        for (int64_t d = 0; d < dim; ++d) o[d] += p[j] * task->v[j * dim + d];
}

static void tiled_store(const struct tiled_task *task, const struct attention_data *data) {
    const struct attention_args *args = task->args;
    for (int64_t r = 0; r < task->row_count; ++r) {
        const int64_t query = task->first_row + r;
        const bool is_masked = attention_visible_keys(args, query) == 0;
        // A row with visible keys and a sum of 0: all its scores are -inf, and the definition gives 0/0.
        const float inverse = is_masked ? 0.0f : task->sum[r] > 0.0f ? 1.0f / task->sum[r] : NAN;
        float *row = task->o + r * args->head_dim;
        for (int64_t d = 0; d < args->head_dim; ++d) row[d] *= inverse;
        convert_row_from_float(row, args->o.dtype, args->head_dim,
                               data->o + attention_row_bytes(&args->o, task->batch, task->head, query));
        if (data->lse)
            data->lse[(task->batch * args->heads + task->head) * args->seq_q + query] =
                is_masked ? -INFINITY : task->max[r] + logf(task->sum[r]);
    }
}

static void tiled_run(void *arg, int64_t index, uint32_t thread) {
    const struct tiled_job *job = (const struct tiled_job *)arg;
    const struct tiled_state *state = job->state;
    const struct attention_args *args = &state->args;
    const int64_t head_index = index / state->row_block_count;
    struct tiled_task task = {.args = args,
                              .batch = head_index / args->heads,
                              .head = head_index % args->heads,
                              .first_row = index % state->row_block_count * BLOCK_M};
    task.q = job->workspace + (int64_t)thread * state->thread_floats;
    task.o = task.q + BLOCK_M * args->head_dim;
    task.k = task.o + BLOCK_M * args->head_dim;
    task.v = task.k + BLOCK_N * args->head_dim;
    task.scores = task.v + BLOCK_N * args->head_dim;
    task.row_count = args->seq_q - task.first_row < BLOCK_M ? args->seq_q - task.first_row : BLOCK_M;

    tiled_load_queries(&task, &job->data);
    const int64_t key_limit = attention_visible_keys(args, task.first_row + task.row_count - 1);
    for (int64_t first_key = 0; first_key < key_limit; first_key += BLOCK_N) {
        const int64_t key_count = key_limit - first_key < BLOCK_N ? key_limit - first_key : BLOCK_N;
        tiled_load_keys(&task, &job->data, first_key, key_count);
        for (int64_t r = 0; r < task.row_count; ++r) {
            int64_t visible = attention_visible_keys(args, task.first_row + r) - first_key;
            if (visible <= 0) continue;
            if (visible > key_count) visible = key_count;
            tiled_scores(&task, r);
            tiled_softmax(&task, r, visible);
            tiled_values(&task, r, visible);
        }
    }
    tiled_store(&task, &job->data);
}

static int tiled_supports(const struct assay_problem *problem, struct assay_message *message) {
    struct attention_args args;
    const int status = attention_args_read(problem, &args, message);
    if (status != ASSAY_OK) return status;
    if (args.q.dtype == ASSAY_FP8_E4M3 || args.k.dtype == ASSAY_FP8_E4M3 || args.v.dtype == ASSAY_FP8_E4M3)
        return assay_say(message, ASSAY_UNSUPPORTED, "tiled supports fp32, fp16 and bf16, not fp8");
    return ASSAY_OK;
}

static int tiled_prepare(const struct assay_problem *problem, const struct assay_env *env, void **state,
                         size_t *workspace_bytes, struct assay_message *message) {
    struct attention_args args;
    const int status = attention_args_read(problem, &args, message);
    if (status != ASSAY_OK) return status;
    struct tiled_state *self = (struct tiled_state *)calloc(1, sizeof *self);
    if (!self) return assay_say(message, ASSAY_FAILED, "out of memory");
    self->args = args;
    self->thread_count = cpu_thread_count(env);
    self->row_block_count = (args.seq_q + BLOCK_M - 1) / BLOCK_M;
    const int64_t floats = 2 * (BLOCK_M + BLOCK_N) * args.head_dim + BLOCK_M * BLOCK_N;
    self->thread_floats = (floats + 63) / 64 * 64; // whole cache lines: threads share none
    *workspace_bytes = (size_t)self->thread_floats * self->thread_count * sizeof(float);
    *state = self;
    return ASSAY_OK;
}

static int tiled_launch(void *state, const struct assay_tensors *tensors, void *workspace, void *stream,
                        struct assay_message *message) {
    struct tiled_job job = {.state = (const struct tiled_state *)state, .workspace = (float *)workspace};
    const int status = attention_data_read(tensors, &job.data, message);
    if (status != ASSAY_OK) return status;
    const int64_t count = job.state->args.batch * job.state->args.heads * job.state->row_block_count;
    cpu_parallel_for(stream, job.state->thread_count, count, tiled_run, &job);
    return ASSAY_OK;
}

static void tiled_release(void *state) {
    free(state);
}

static int tiled_check_config(const struct assay_scalar *values, uint32_t count,
                              struct assay_message *message) {
    const double rows = assay_scalar_get(values, count, "BLOCK_M", BLOCK_M);
    const double keys = assay_scalar_get(values, count, "BLOCK_N", BLOCK_N);
    if (!(rows * keys <= TILE_SCORES_MAX))
        return assay_say(message, ASSAY_INVALID_CONFIG,
                         "BLOCK_M x BLOCK_N is above 16384: the tile of scores would not "
                         "stay in a small core's L2; make one of them smaller");
    return ASSAY_OK;
}

static const int64_t tiled_rows[] = {8, 16, 32, 64, 128, 256};
static const int64_t tiled_keys[] = {16, 32, 64, 128, 256};
static const int64_t tiled_unrolls[] = {1, 2, 4, 8};
static const struct assay_param tiled_params[] = {
    {"BLOCK_M", "query rows of one task", BLOCK_M, tiled_rows, sizeof tiled_rows / sizeof tiled_rows[0], 0},
    {"BLOCK_N", "keys of one block", BLOCK_N, tiled_keys, sizeof tiled_keys / sizeof tiled_keys[0], 0},
    {"UNROLL_KEYS", "keys of P V that are added at a time", UNROLL_KEYS, tiled_unrolls,
     sizeof tiled_unrolls / sizeof tiled_unrolls[0], 0},
};

static const struct assay_kernel tiled_kernels[] = {{
    .struct_size = sizeof(struct assay_kernel),
    .abi_version = ASSAY_ABI_VERSION,
    .name = "tiled",
    .op = "attention",
    .backend = "cpu",
    .supports = tiled_supports,
    .launch = tiled_launch,
    .prepare = tiled_prepare,
    .release = tiled_release,
    .params = tiled_params,
    .param_count = sizeof tiled_params / sizeof tiled_params[0],
    .param_bytes = sizeof(struct assay_param),
    .check_config = tiled_check_config,
    .summary = "portable blocked C with an online softmax in fp32; fp32, fp16, bf16",
    .features = "out_dtype qkv_packed",
}};

ASSAY_MODULE(tiled_kernels)
