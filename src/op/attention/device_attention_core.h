// SPDX-License-Identifier: Apache-2.0
//
// The arithmetic of attention's device kernels, once for nvcc (device_attention.cuh) and for C: values of Q,
// K and V, which keys a row sees, which rows are computed. Rules as in device_kernel_core.h.
#ifndef DEVICE_DEVICE_ATTENTION_CORE_H
#define DEVICE_DEVICE_ATTENTION_CORE_H

#include "device/device_kernel_core.h"
#include "op/attention/device_attention_args.h"

#define DEV_ATTENTION_P_SCALE 256.0f // fp8: lifts P out of the subnormals of e4m3

// The scale of head number `head`, batch included: the largest normal deviate stays below 448 units.
DEV_FN float dev_attention_head_scale(uint64_t seed, uint64_t scale_stream, uint64_t head) {
    return (float)((1 + 2 * dev_rng_uniform(seed, scale_stream, head)) / 96);
}

// Element `index` of the dense order of Q, K or V: filled at its strides.
DEV_FN void dev_attention_fill_element(const struct dev_attention_fill *args, uint64_t start,
                                       uint64_t index) {
    const uint64_t dim = (uint64_t)args->shape[3], rows = (uint64_t)args->shape[2];
    const uint64_t row_index = index / dim, column = index - row_index * dim;
    const uint64_t head = row_index / rows, row = row_index - head * rows;
    const int64_t batch = (int64_t)head / args->shape[1], head_in_batch = (int64_t)head % args->shape[1];
    double value = dev_normal(args->table, start, index);
    if (args->is_scaled) value *= 1 / (double)dev_attention_head_scale(args->seed, args->scale_stream, head);
    const int64_t offset = batch * args->stride[0] + head_in_batch * args->stride[1] +
                           (int64_t)row * args->stride[2] + (int64_t)column;
    dev_store_float(args->dtype, args->data, offset, value);
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

#endif
