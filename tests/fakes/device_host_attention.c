// SPDX-License-Identifier: Apache-2.0
//
// The kernels of device_attention.cuh on the CPU: the plain definition, one row at a time, which is the
// device's result up to rounding; fills give the same bits.
#include <stdlib.h>

#include "fakes/device_host.h"
#include "op/attention/device_attention_core.h"

static void run_attention_fill(const struct dev_attention_fill *args) {
    const uint64_t count = (uint64_t)args->shape[0] * (uint64_t)args->shape[1] * (uint64_t)args->shape[2] *
                           (uint64_t)args->shape[3];
    for (uint64_t i = 0; i * DEV_RANDOM_WORDS < count; ++i) dev_attention_fill_block(args, i);
}

static void run_attention_scales(const struct dev_attention_scales *args) {
    for (uint64_t i = 0; i < args->count; ++i) args->data[i] = dev_attention_head_scale(&args->inputs, i);
}

// One query row: where it and its keys lie.
struct row {
    int64_t head, head_kv, number, visible; // heads: batch included
    int64_t q, k, v;                        // offsets of the row, and of key 0
};

static struct row row_at(const struct dev_attention *a, int64_t head, int64_t index) {
    const int64_t batch = head / a->heads, in_batch = head % a->heads,
                  in_batch_kv = in_batch / (a->heads / a->heads_kv);
    struct row row = {
        .head = head, .head_kv = batch * a->heads_kv + in_batch_kv, .number = dev_attention_row(a, index)};
    row.visible = dev_attention_visible(a, row.number);
    row.q = dev_attention_offset(a->stride_q, batch, in_batch) + row.number * a->stride_q[2];
    row.k = dev_attention_offset(a->stride_k, batch, in_batch_kv);
    row.v = dev_attention_offset(a->stride_v, batch, in_batch_kv);
    return row;
}

static void oracle_row(const struct dev_attention_oracle *args, const struct row *row, double *scores) {
    const struct dev_attention *a = &args->problem;
    double factor = a->scale, v_factor = 1, max = -INFINITY, sum = 0;
    if (a->q_scale) factor *= (double)a->q_scale[row->head];
    if (a->k_scale) factor *= (double)a->k_scale[row->head_kv];
    if (a->v_scale) v_factor = (double)a->v_scale[row->head_kv];
    for (int64_t j = 0; j < row->visible; ++j) {
        double score = 0;
        for (int64_t d = 0; d < a->head_dim; ++d)
            score += dev_load(a->dtype_q, a->q, row->q + d) *
                     dev_load(a->dtype_kv, a->k, row->k + j * a->stride_k[2] + d);
        scores[j] = score * factor;
        if (scores[j] > max) max = scores[j];
    }
    const double shift = max == -INFINITY ? 0 : max;
    for (int64_t j = 0; j < row->visible; ++j) sum += scores[j] = exp(scores[j] - shift);
    const int64_t dense = row->head * a->seq_q + row->number;
    const double faintest = dev_attention_faintest(a, row->q, row->k, row->v, row->visible, factor);
    for (int64_t d = 0; d < a->head_dim; ++d) {
        double value = 0;
        for (int64_t j = 0; j < row->visible; ++j)
            value += scores[j] * dev_load(a->dtype_kv, a->v, row->v + j * a->stride_v[2] + d);
        value = dev_attention_mark(value / sum * v_factor, faintest, max + log(sum), a->dtype_q, a->dtype_kv);
        args->out[dense * a->head_dim + d] = row->visible ? value : 0;
    }
    if (args->lse) args->lse[dense] = row->visible ? max + log(sum) : -INFINITY;
}

static void run_attention_oracle(const struct dev_attention_oracle *args) {
    const struct dev_attention *a = &args->problem;
    double *scores = malloc((size_t)a->seq_k * sizeof *scores);
    if (!scores) abort();
    for (int64_t head = 0; head < a->batch * a->heads; ++head)
        for (int64_t i = 0; i < dev_attention_row_count(a); ++i) {
            const struct row row = row_at(a, head, i);
            oracle_row(args, &row, scores);
        }
    free(scores);
}

// Scores before rounding; returns their maximum, or 0 if all of them are -infinity.
static float same_precision_scores(const struct dev_attention *a, const struct row *row, float *scores) {
    float factor = (float)a->scale, max = -INFINITY;
    if (a->q_scale) factor *= a->q_scale[row->head];
    if (a->k_scale) factor *= a->k_scale[row->head_kv];
    for (int64_t j = 0; j < row->visible; ++j) {
        float score = 0;
        for (int64_t d = 0; d < a->head_dim; ++d)
            score += dev_load_float(a->dtype_q, a->q, row->q + d) *
                     dev_load_float(a->dtype_kv, a->k, row->k + j * a->stride_k[2] + d);
        scores[j] = score * factor;
        if (scores[j] > max) max = scores[j];
    }
    return max;
}

static float max_or_zero(float max) {
    return max == -INFINITY ? 0 : max;
}

// Turns scores into the P that is multiplied by V; returns the divisor of O.
static float same_precision_softmax(const struct dev_attention *a, float max, int64_t visible,
                                    float *scores) {
    const int32_t p_dtype = dev_attention_p_dtype(a);
    const int is_fp8 = p_dtype == ASSAY_FP8_E4M3;
    const float shift = max_or_zero(dev_attention_round_score(a->dtype_q, max));
    float sum = 0;
    for (int64_t j = 0; j < visible; ++j) {
        scores[j] = expf(dev_attention_round_score(a->dtype_q, scores[j]) - shift);
        sum += scores[j];
    }
    for (int64_t j = 0; j < visible; ++j)
        scores[j] = dev_round(p_dtype, is_fp8 ? scores[j] * DEV_ATTENTION_P_SCALE : scores[j] / sum);
    return is_fp8 ? sum * DEV_ATTENTION_P_SCALE : 1;
}

static void same_precision_row(const struct dev_attention_same_precision *args, const struct row *row,
                               float *scores) {
    const struct dev_attention *a = &args->problem;
    const float v_factor = a->v_scale ? a->v_scale[row->head_kv] : 1;
    const float max = same_precision_scores(a, row, scores);
    const int64_t dense = row->head * a->seq_q + row->number;
    if (args->lse) {
        float sum = 0;
        for (int64_t j = 0; j < row->visible; ++j) sum += expf(scores[j] - max_or_zero(max));
        args->lse[dense] = max_or_zero(max) + logf(sum);
    }
    const float divisor = row->visible ? same_precision_softmax(a, max, row->visible, scores) : 1;
    for (int64_t d = 0; d < a->head_dim; ++d) {
        float value = 0;
        for (int64_t j = 0; j < row->visible; ++j)
            value += scores[j] * dev_load_float(a->dtype_kv, a->v, row->v + j * a->stride_v[2] + d);
        dev_store(args->dtype_out, args->out, dense * a->head_dim + d, (double)(value / divisor * v_factor));
    }
}

static void run_attention_same_precision(const struct dev_attention_same_precision *args) {
    const struct dev_attention *a = &args->problem;
    float *scores = malloc((size_t)a->seq_k * sizeof *scores);
    if (!scores) abort();
    for (int64_t head = 0; head < a->batch * a->heads; ++head)
        for (int64_t i = 0; i < a->seq_q; ++i) {
            const struct row row = row_at(a, head, i);
            same_precision_row(args, &row, scores);
        }
    free(scores);
}

bool dev_host_attention(const char *entry, const void *args);
bool dev_host_attention(const char *entry, const void *args) {
#define RUN(name)                                                                                            \
    if (strcmp(entry, "assay_" #name) == 0) {                                                                \
        struct dev_##name copy;                                                                              \
        memcpy(&copy, args, sizeof copy);                                                                    \
        run_##name(&copy);                                                                                   \
        return true;                                                                                         \
    }
    RUN(attention_fill)
    RUN(attention_scales)
    RUN(attention_oracle)
    RUN(attention_same_precision)
#undef RUN
    return false;
}
