// SPDX-License-Identifier: Apache-2.0
//
// Attention forward, plain C, in the problem's own precision: the first rung, and the same-precision
// reference of the 2 x error rule.
//
// Algorithm: per head, K and V are converted to fp32 once; per query row all scores, one softmax over the
// row, P V.
// Precision: that of a framework's unfused attention on tensors of Q's dtype. Sums accumulate in fp32 in
// order; scores, P and O are rounded to the dtype. Scores beyond fp16 become its largest number, so that a
// row stays a number. fp32: fp32's own rounding only. fp8 e4m3 in Q, K and V: inputs come quantised; P is
// not normalised, scaled by 2^8 and rounded to e4m3; all else stays fp32. fp8 in Q alone: scores stay fp32,
// P is rounded to V's dtype. O is rounded to its tensor's dtype.
// Shapes: any sizes, strides and dtypes (K and V may have their own), both causal kinds, grouped heads, V's
// own head dimension, sliding windows, capped scores, biases, masks.
//
// Working set a thread: one head of K and V in fp32 (8 Sk D bytes) and a row of scores. K lies in panels
// of 16 keys, dimension by dimension: sums over D stay in order while 16 keys advance together.
// Expected limit: multiplies and adds of the baseline vector unit (4 lanes on x86-64), no blocking for
// registers or the L1, expf of libm.
// Tried and lost: scores key by key (1.4 x slower overall: one chain of additions).
#include <assay/kernel.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attention/attention_args.h"
#include "common/convert.h"
#include "common/cpu_threads.h"

#define PANEL_KEYS  16
#define FP8_P_SCALE 256.0f // lifts P out of e4m3's subnormals; the largest P is 1 and e4m3 reaches 448
#define FP16_MAX    65504.0f

struct naive_state {
    struct attention_args args;
    uint32_t thread_count;
    int64_t panel_count;
    int64_t thread_floats; // workspace of one thread
    struct attention_view mask, bias;
};

struct naive_job {
    const struct naive_state *state;
    struct attention_data data;
    const int8_t *mask; // NULL: the problem has none
    const char *bias;   // the same
    float *workspace;
};

// One thread's part of the workspace.
struct naive_buffers {
    float *k_panels; // [panel][dim][key in panel]
    float *v;        // [key][dim]
    float *scores;   // [key], padded to whole panels
    float *row;      // [larger dim]: first Q, then O
};

static struct naive_buffers naive_buffers_get(const struct naive_job *job, uint32_t thread) {
    const struct naive_state *state = job->state;
    const int64_t padded = state->panel_count * PANEL_KEYS;
    struct naive_buffers buffers;
    buffers.k_panels = job->workspace + (int64_t)thread * state->thread_floats;
    buffers.v = buffers.k_panels + padded * state->args.head_dim;
    buffers.scores = buffers.v + state->args.seq_k * state->args.head_dim_v;
    buffers.row = buffers.scores + padded;
    return buffers;
}

static void naive_load_head(const struct naive_job *job, int64_t batch, int64_t head_kv,
                            const struct naive_buffers *buffers) {
    const struct attention_args *args = &job->state->args;
    const int64_t dim = args->head_dim;
    for (int64_t key = 0; key < job->state->panel_count * PANEL_KEYS; ++key) {
        float *panel = buffers->k_panels + key / PANEL_KEYS * PANEL_KEYS * dim + key % PANEL_KEYS;
        if (key < args->seq_k)
            convert_row_to_float(job->data.k + attention_row_bytes(&args->k, batch, head_kv, key),
                                 args->k.dtype, dim, buffers->row);
        else
            memset(buffers->row, 0, (size_t)dim * sizeof(float));
        for (int64_t d = 0; d < dim; ++d) panel[d * PANEL_KEYS] = buffers->row[d];
    }
    for (int64_t key = 0; key < args->seq_k; ++key)
        convert_row_to_float(job->data.v + attention_row_bytes(&args->v, batch, head_kv, key), args->v.dtype,
                             args->head_dim_v, buffers->v + key * args->head_dim_v);
}

// scores[0 .. visible) = factor * Q K^T, the sums in order of the dimension.
static void naive_scores(const struct attention_args *args, const struct naive_buffers *buffers,
                         int64_t visible, float factor) {
    const int64_t dim = args->head_dim;
    for (int64_t first = 0; first < visible; first += PANEL_KEYS) {
        const float *panel = buffers->k_panels + first * dim;
        float sum[PANEL_KEYS] = {0};
        for (int64_t d = 0; d < dim; ++d) {
            const float q = buffers->row[d];
            for (int i = 0; i < PANEL_KEYS; ++i) sum[i] += q * panel[d * PANEL_KEYS + i];
        }
        for (int i = 0; i < PANEL_KEYS; ++i) buffers->scores[first + i] = sum[i] * factor;
    }
}

static void naive_cap(float *scores, int64_t count, float cap) {
    for (int64_t j = 0; j < count; ++j) scores[j] = cap * tanhf(scores[j] / cap);
}

static void naive_add_bias(const char *bias, int32_t dtype, float *scores, int64_t count) {
    float part[PANEL_KEYS];
    for (int64_t first = 0; first < count; first += PANEL_KEYS) {
        const int64_t part_count = count - first < PANEL_KEYS ? count - first : PANEL_KEYS;
        convert_row_to_float(bias + first * assay_dtype_bytes(dtype), dtype, part_count, part);
        for (int64_t j = 0; j < part_count; ++j) scores[first + j] += part[j];
    }
}

// Scores of masked keys become -inf, whatever they were. Returns 0 where all of them are masked, else their
// count.
static int64_t naive_mask(const int8_t *mask, float *scores, int64_t count) {
    int64_t seen = 0;
    for (int64_t j = 0; j < count; ++j) {
        seen += mask[j] != 0;
        if (!mask[j]) scores[j] = -INFINITY;
    }
    return seen ? count : 0;
}

// The maximum that the softmax subtracts. It ignores NaN scores, which make the sum NaN. If all scores are
// -inf it is 0, so that all of P is 0 and 0/0 follows.
static float naive_max(const float *scores, int64_t visible) {
    float max = -INFINITY;
    for (int64_t j = 0; j < visible; ++j)
        if (scores[j] > max) max = scores[j];
    return max == -INFINITY ? 0.0f : max;
}

// Log-sum-exp, an fp32 output by contract: of the scores before they are rounded.
static float naive_lse(const float *scores, int64_t visible) {
    const float max = naive_max(scores, visible);
    float sum = 0.0f;
    for (int64_t j = 0; j < visible; ++j) sum += expf(scores[j] - max);
    return max + logf(sum);
}

// A score as a tensor of Q's dtype would keep it. Infinity stays infinity: it came from the inputs.
static float naive_round_score(float score, int32_t dtype) {
    if (dtype == ASSAY_FP8_E4M3) return score;
    if (dtype == ASSAY_FP16 && isfinite(score)) score = fmaxf(-FP16_MAX, fminf(FP16_MAX, score));
    return convert_round(score, dtype);
}

// Turns scores into the P that is multiplied by V. Returns the divisor of O.
static float naive_softmax(const struct attention_args *args, float *scores, int64_t visible) {
    const int32_t p_dtype = args->q.dtype == ASSAY_FP8_E4M3 ? args->v.dtype : args->q.dtype;
    for (int64_t j = 0; j < visible; ++j) scores[j] = naive_round_score(scores[j], args->q.dtype);
    const float max = naive_max(scores, visible);
    float sum = 0.0f;
    for (int64_t j = 0; j < visible; ++j) {
        scores[j] = expf(scores[j] - max);
        sum += scores[j];
    }
    if (p_dtype == ASSAY_FP8_E4M3) { // Q's too, then
        for (int64_t j = 0; j < visible; ++j) scores[j] = convert_round(scores[j] * FP8_P_SCALE, p_dtype);
        return sum * FP8_P_SCALE;
    }
    for (int64_t j = 0; j < visible; ++j) scores[j] = convert_round(scores[j] / sum, p_dtype);
    return 1.0f;
}

static void naive_row(const struct naive_job *job, const int64_t *place,
                      const struct naive_buffers *buffers) {
    const struct attention_args *args = &job->state->args;
    const int64_t batch = place[0], head = place[1], query = place[2], dim = args->head_dim_v;
    const int64_t scale_q = batch * args->heads + head,
                  scale_kv = batch * args->heads_kv + head / args->group;
    const int64_t end = attention_visible_keys(args, query), first = attention_first_key(args, query);
    int64_t visible = end > first ? end - first : 0;
    const int8_t *mask = NULL;               // of the keys from `first` on
    float *scores = buffers->scores + first; // of the keys that the row sees
    float factor = args->scale, v_factor = 1.0f, divisor = 1.0f;
    if (job->data.q_scale) factor *= job->data.q_scale[scale_q];
    if (job->data.k_scale) factor *= job->data.k_scale[scale_kv];
    if (job->data.v_scale) v_factor = job->data.v_scale[scale_kv];

    convert_row_to_float(job->data.q + attention_row_bytes(&args->q, batch, head, query), args->q.dtype,
                         args->head_dim, buffers->row);
    naive_scores(args, buffers, end, factor);
    if (args->softcap > 0) naive_cap(scores, visible, args->softcap);
    if (job->bias)
        naive_add_bias(job->bias + attention_row_bytes(&job->state->bias, batch, head, query) +
                           first * job->state->bias.element_bytes,
                       job->state->bias.dtype, scores, visible);
    if (job->mask) {
        mask = job->mask + attention_row_bytes(&job->state->mask, batch, head, query) + first;
        visible = naive_mask(mask, scores, visible);
    }
    if (job->data.lse) job->data.lse[scale_q * args->seq_q + query] = naive_lse(scores, visible);
    if (visible > 0) divisor = naive_softmax(args, scores, visible);

    memset(buffers->row, 0, (size_t)dim * sizeof(float));
    for (int64_t j = 0; j < visible; ++j) {
        if (mask && !mask[j]) continue; // 0 times a NaN of V would be NaN
        const float p = scores[j];
        const float *v = buffers->v + (first + j) * dim;
        for (int64_t d = 0; d < dim; ++d) buffers->row[d] += p * v[d];
    }
    if (divisor != 1.0f || v_factor != 1.0f)
        for (int64_t d = 0; d < dim; ++d) buffers->row[d] = buffers->row[d] / divisor * v_factor;
    convert_row_from_float(buffers->row, args->o.dtype, dim,
                           job->data.o + attention_row_bytes(&args->o, batch, head, query));
}

static void naive_head(void *arg, int64_t index, uint32_t thread) {
    const struct naive_job *job = (const struct naive_job *)arg;
    const struct attention_args *args = &job->state->args;
    const struct naive_buffers buffers = naive_buffers_get(job, thread);
    int64_t place[3] = {index / args->heads, index % args->heads, 0};
    naive_load_head(job, place[0], place[1] / args->group, &buffers);
    for (place[2] = 0; place[2] < args->seq_q; ++place[2]) naive_row(job, place, &buffers);
}

static int naive_supports(const struct assay_problem *problem, struct assay_message *message) {
    struct attention_args args;
    struct attention_view view;
    const int status = attention_args_read(problem, &args, message);
    if (status != ASSAY_OK) return status;
    if (attention_pairs_read(problem, "mask", &args, &view) &&
        attention_pairs_read(problem, "bias", &args, &view))
        return ASSAY_OK;
    return assay_say(message, ASSAY_UNSUPPORTED,
                     "the mask or the bias has a shape or stride that this kernel does not read");
}

static int naive_prepare(const struct assay_problem *problem, const struct assay_env *env, void **state,
                         size_t *workspace_bytes, struct assay_message *message) {
    struct attention_args args;
    const int status = attention_args_read(problem, &args, message);
    if (status != ASSAY_OK) return status;
    struct naive_state *self = (struct naive_state *)calloc(1, sizeof *self);
    if (!self) return assay_say(message, ASSAY_FAILED, "out of memory");
    self->args = args;
    attention_pairs_read(problem, "mask", &args, &self->mask);
    attention_pairs_read(problem, "bias", &args, &self->bias);
    self->thread_count = cpu_thread_count(env);
    self->panel_count = (args.seq_k + PANEL_KEYS - 1) / PANEL_KEYS;
    const int64_t padded = self->panel_count * PANEL_KEYS;
    const int64_t dim = args.head_dim > args.head_dim_v ? args.head_dim : args.head_dim_v;
    const int64_t floats = padded * args.head_dim + args.seq_k * args.head_dim_v + padded + dim;
    self->thread_floats = (floats + 63) / 64 * 64; // whole cache lines: threads share none
    *workspace_bytes = (size_t)self->thread_floats * self->thread_count * sizeof(float);
    *state = self;
    return ASSAY_OK;
}

static int naive_launch(void *state, const struct assay_tensors *tensors, void *workspace, void *stream,
                        struct assay_message *message) {
    struct naive_job job = {.state = (const struct naive_state *)state, .workspace = (float *)workspace};
    const int status = attention_data_read(tensors, &job.data, message);
    if (status != ASSAY_OK) return status;
    const struct assay_tensor *mask = assay_tensor_named(tensors, "mask");
    const struct assay_tensor *bias = assay_tensor_named(tensors, "bias");
    if (mask) job.mask = (const int8_t *)mask->data;
    if (bias) job.bias = (const char *)bias->data;
    cpu_parallel_for(stream, job.state->thread_count, job.state->args.batch * job.state->args.heads,
                     naive_head, &job);
    return ASSAY_OK;
}

static void naive_release(void *state) {
    free(state);
}

static const struct assay_kernel naive_kernels[] = {{
    .struct_size = sizeof(struct assay_kernel),
    .abi_version = ASSAY_ABI_VERSION,
    .name = "naive",
    .op = "attention",
    .backend = "cpu",
    .supports = naive_supports,
    .launch = naive_launch,
    .prepare = naive_prepare,
    .release = naive_release,
    .summary = "plain C in the problem's own precision; the same-precision reference of the 2 x error rule",
    .features = "head_dim_v window softcap mask bias out_dtype qkv_packed",
}};

ASSAY_MODULE(naive_kernels)
