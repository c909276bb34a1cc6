// SPDX-License-Identifier: Apache-2.0
//
// The arithmetic of attention's device kernels, once for nvcc (device_attention.cuh) and for C: values of Q,
// K and V, which keys a row sees, which rows are computed, and which results a kernel may lose. Rules as in
// device_kernel_core.h.
#ifndef OP_ATTENTION_DEVICE_ATTENTION_CORE_H
#define OP_ATTENTION_DEVICE_ATTENTION_CORE_H

#include "device/device_random.h"
#include "op/attention/device_attention_args.h"

#define DEV_ATTENTION_P_SCALE  256.0f // fp8: lifts P out of the subnormals of e4m3
#define DEV_ATTENTION_FP16_MAX 65504.0f

// 0.5 to 16, nearly uniform in its logarithm, without a function that two machines could round differently.
DEV_FN double dev_attention_deviation(const struct dev_attention_inputs *inputs, uint64_t head) {
    struct dev_random random = dev_random_make(inputs->seed, inputs->deviation_stream);
    const uint64_t word = dev_random_u64(&random, head);
    const double octave = (double)(1u << ((word >> 32) % 5)) / 2;
    return octave * (1 + (double)(uint32_t)word * 0x1p-32);
}

// The scale of head number `head`, batch included: the largest value stays below 448 units.
DEV_FN float dev_attention_head_scale(const struct dev_attention_inputs *inputs, uint64_t head) {
    if (inputs->has_exact_scales) return head & 1 ? 0.25f : 0.125f;
    struct dev_random random = dev_random_make(inputs->seed, inputs->scale_stream);
    const double drawn = (float)((1 + 2 * dev_random_uniform(&random, head)) / 96);
    const double factor =
        inputs->form == DEV_ATTENTION_MIXED ? dev_attention_deviation(inputs, head) : inputs->scale_factor;
    return (float)(drawn * factor);
}

// The key that a row points at: one that it sees. Below 0: it sees none.
DEV_FN int64_t dev_attention_pointed_key(const struct dev_attention_inputs *inputs, uint64_t head,
                                         int64_t row) {
    const int64_t end = inputs->is_causal ? row + 1 + inputs->causal_offset : inputs->seq_k;
    const int64_t count = end < inputs->seq_k ? end : inputs->seq_k;
    if (count < 1) return -1;
    struct dev_random random = dev_random_make(inputs->seed, inputs->key_stream);
    return (int64_t)(dev_random_u64(&random, (head << 32) + (uint64_t)row) % (uint64_t)count);
}

// What the elements of a row have in common; head: batch included.
struct dev_attention_row_inputs {
    uint64_t head;
    int64_t row;
    double factor;          // of its deviates
    int64_t first_key_word; // of the pointed key's deviates; below 0: it points at none
    struct dev_random keys; // the keys' words
};

DEV_FN struct dev_attention_row_inputs dev_attention_row_begin(const struct dev_attention_inputs *inputs,
                                                               uint64_t head, int64_t row, uint64_t dim) {
    struct dev_attention_row_inputs ret;
    ret.head = head, ret.row = row, ret.factor = inputs->factor, ret.first_key_word = -1;
    ret.keys = dev_random_make(inputs->seed, inputs->key_value_stream);
    if (inputs->form == DEV_ATTENTION_MIXED) ret.factor = dev_attention_deviation(inputs, head);
    if (inputs->form != DEV_ATTENTION_POINTED) return ret;
    const uint64_t heads = (uint64_t)inputs->heads, heads_kv = (uint64_t)inputs->heads_kv;
    const uint64_t batch = head / heads, in_batch = head - batch * heads;
    const uint64_t head_kv = batch * heads_kv + in_batch / (heads / heads_kv);
    const int64_t key = dev_attention_pointed_key(inputs, head, row);
    if (key >= 0) ret.first_key_word = (int64_t)((head_kv * (uint64_t)inputs->seq_k + (uint64_t)key) * dim);
    return ret;
}

// An element before rounding; deviate: its normal deviate.
DEV_FN double dev_attention_value(const struct dev_attention_inputs *inputs, const double *table,
                                  struct dev_attention_row_inputs *row, uint64_t column, double deviate) {
    switch (inputs->form) {
    case DEV_ATTENTION_FIRST_COLUMN:
        if (column) return deviate;
        return row->row < inputs->sink_rows ? inputs->sink_value
                                            : inputs->line_first + (double)row->row * inputs->line_step;
    case DEV_ATTENTION_POINTED: {
        if (row->first_key_word < 0) return deviate;
        const uint32_t word = dev_random_word(&row->keys, (uint64_t)row->first_key_word + column);
        return deviate + inputs->factor * dev_deviate(table, word);
    }
    default: return deviate * row->factor;
    }
}

// Elements of the dense order of Q, K or V that block `number` of the cipher gives: filled at their strides.
DEV_FN void dev_attention_fill_block(const struct dev_attention_fill *args, uint64_t number) {
    const uint64_t dim = (uint64_t)args->shape[3], rows = (uint64_t)args->shape[2];
    const uint64_t count = (uint64_t)args->shape[0] * (uint64_t)args->shape[1] * rows * dim;
    const uint64_t first = number * DEV_RANDOM_WORDS, left = count - first;
    struct dev_random random = dev_random_make(args->inputs.seed, args->stream);
    struct dev_attention_row_inputs row;
    double inverse = 1;
    uint64_t row_index = first / dim, column = first - row_index * dim;
    int64_t offset = 0;
    for (uint64_t i = 0; i < DEV_RANDOM_WORDS && i < left; ++i, ++column) {
        if (column == dim) ++row_index, column = 0;
        if (i == 0 || column == 0) {
            const uint64_t head = row_index / rows;
            const int64_t batch = (int64_t)head / args->shape[1], in_batch = (int64_t)head % args->shape[1];
            row = dev_attention_row_begin(&args->inputs, head, (int64_t)(row_index - head * rows), dim);
            if (args->is_scaled) inverse = 1 / (double)dev_attention_head_scale(&args->inputs, head);
            offset = batch * args->stride[0] + in_batch * args->stride[1] + row.row * args->stride[2];
        }
        const double deviate = dev_deviate(args->table, dev_random_word(&random, first + i));
        double value = dev_attention_value(&args->inputs, args->table, &row, column, deviate);
        if (args->is_scaled) value *= inverse;
        dev_store_float(args->dtype, args->data, offset + (int64_t)column, value);
    }
}

// Query row `row` sees keys [0, result).
DEV_FN int64_t dev_attention_visible(const struct dev_attention *args, int64_t row) {
    if (args->causal == 0) return args->seq_k;
    const int64_t count = row + 1 + (args->causal == 2 ? args->seq_k - args->seq_q : 0);
    return count < 0 ? 0 : count > args->seq_k ? args->seq_k : count;
}

// How many query rows of a head are computed, and which row is number `index`; an index past the end gives
// the last row.
DEV_FN int64_t dev_attention_row_count(const struct dev_attention *args) {
    const int64_t step = (int64_t)args->row_step, from_first = args->seq_q - 1 - (int64_t)args->row_first;
    return from_first < 0 ? 1 : from_first / step + 1 + (from_first % step != 0);
}

DEV_FN int64_t dev_attention_row(const struct dev_attention *args, int64_t index) {
    const int64_t row = (int64_t)args->row_first + index * (int64_t)args->row_step;
    return row < args->seq_q ? row : args->seq_q - 1;
}

DEV_FN int64_t dev_attention_offset(const int64_t stride[3], int64_t batch, int64_t head) {
    return batch * stride[0] + head * stride[1];
}

// ---- infinities whose weight is below what kernels' types hold ----

// The logarithm of the smallest weight that kernels keep with all its bits: the smallest normal number of Q's
// or V's type, in which P is multiplied by V. bf16 has the exponents of fp32; fp8 has no infinity.
DEV_FN double dev_attention_log_weight_min(int32_t dtype_q, int32_t dtype_kv) {
    return (dtype_q == ASSAY_FP16 || dtype_kv == ASSAY_FP16 ? -14 : -126) * DEV_LN2;
}

// A result as the oracle stores it. faintest: the lowest score of the row's keys whose V has an infinity;
// INFINITY: there is none.
DEV_FN double dev_attention_mark(double value, double faintest, double log_sum, int32_t dtype_q,
                                 int32_t dtype_kv) {
    const int is_faint = faintest - log_sum < dev_attention_log_weight_min(dtype_q, dtype_kv);
    return is_faint && value == INFINITY ? dev_double(DEV_FAINT_INFINITY_BITS) : value;
}

DEV_FN int dev_attention_has_infinity(const struct dev_attention *args, int64_t v) {
    int ret = 0;
    for (int64_t d = 0; d < args->head_dim; ++d)
        ret |= fabsf(dev_load_float(args->dtype_kv, args->v, v + d)) == INFINITY;
    return ret;
}

// That score, of the keys [0, visible) at the offsets k and v, for the row of Q at offset q. Called where a
// result is infinite, so that nobody else pays for it.
DEV_FN double dev_attention_faintest(const struct dev_attention *args, int64_t q, int64_t k, int64_t v,
                                     int64_t visible, double factor) {
    double faintest = INFINITY;
    for (int64_t key = 0; key < visible; ++key) {
        if (!dev_attention_has_infinity(args, v + key * args->stride_v[2])) continue;
        double score = 0;
        for (int64_t d = 0; d < args->head_dim; ++d)
            score += (double)dev_load_float(args->dtype_q, args->q, q + d) *
                     (double)dev_load_float(args->dtype_kv, args->k, k + key * args->stride_k[2] + d);
        if (score * factor < faintest) faintest = score * factor;
    }
    return faintest;
}

// ---- roundings of the plain kernel (kernels/attention/naive.c) ----

// A score as a tensor of Q's dtype keeps it. Beyond fp16 it is the largest number; infinity stays infinity.
DEV_FN float dev_attention_round_score(int32_t dtype_q, float score) {
    if (dtype_q == ASSAY_FP8_E4M3) return score;
    const float rounded = dev_round(dtype_q, score);
    const int is_beyond = dtype_q == ASSAY_FP16 && fabsf(rounded) == INFINITY && fabsf(score) < INFINITY;
    return is_beyond ? copysignf(DEV_ATTENTION_FP16_MAX, score) : rounded;
}

// The dtype that P is rounded to. e4m3: P is scaled by DEV_ATTENTION_P_SCALE and O divided by the sum; else P
// is divided by it.
DEV_FN int32_t dev_attention_p_dtype(const struct dev_attention *args) {
    return args->dtype_q == ASSAY_FP8_E4M3 ? args->dtype_kv : args->dtype_q;
}

#endif
