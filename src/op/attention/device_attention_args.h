// SPDX-License-Identifier: Apache-2.0
//
// The arguments of attention's device kernels: filling the inputs, the float64 oracle, the same-precision
// reference. Rules as in device_kernel_args.h. Strides are in elements, of the dimensions
// [batch][head][row]; the innermost one is 1. Results (O, log-sum-exp) are packed in the order of the
// shape, for any layout of the inputs.
#ifndef OP_ATTENTION_DEVICE_ATTENTION_ARGS_H
#define OP_ATTENTION_DEVICE_ATTENTION_ARGS_H

#include <stdint.h>

// Query rows and keys that a block works on at a time, and columns of its result.
#define DEV_ATTENTION_TILE    64
#define DEV_ATTENTION_THREADS 256 // of a block of the oracle and the same-precision reference

// What an input distribution makes of a tensor's normal deviates, and the scales of its heads in fp8.
enum dev_attention_form {
    DEV_ATTENTION_DEVIATES = 0, // times `factor`
    DEV_ATTENTION_MIXED,        // times a factor for each head, from deviation_stream
    DEV_ATTENTION_FIRST_COLUMN, // its first column is sink_value in sink_rows rows, then a line
    DEV_ATTENTION_POINTED,      // plus `factor` times a key of the head, from key_stream
};
struct dev_attention_inputs {
    uint64_t seed, scale_stream;
    int32_t form;                // enum dev_attention_form
    int32_t has_exact_scales;    // powers of two, which keep small integers exact; else drawn
    double factor, scale_factor; // scale_factor: of drawn scales
    uint64_t deviation_stream;
    int64_t sink_rows;
    double sink_value, line_first, line_step; // the line: line_first + row line_step
    // Pointed rows, in Q: which keys, and the stream of the keys' own deviates.
    uint64_t key_stream, key_value_stream;
    int64_t heads, heads_kv, seq_k, causal_offset;
    int32_t is_causal, reserved;
};

// Any grid: Q, K or V of an input distribution that has a form.
struct dev_attention_fill {
    void *data;
    const double *table; // of random_normal.h
    int64_t shape[4], stride[3];
    uint64_t stream;          // of the values
    int32_t dtype, is_scaled; // is_scaled: values are divided by their head's scale (fp8)
    struct dev_attention_inputs inputs;
};
// Any grid: data[i] = scale of head i, batch included.
struct dev_attention_scales {
    float *data;
    uint64_t count;
    struct dev_attention_inputs inputs;
};

// Shared by the oracle and the same-precision reference.
struct dev_attention {
    const void *q, *k, *v;
    const float *q_scale, *k_scale, *v_scale; // [batch][heads or heads_kv]; null: none
    int64_t stride_q[3], stride_k[3], stride_v[3];
    int64_t batch, heads, heads_kv, seq_q, seq_k, head_dim;
    double scale;                 // multiplies Q K^T
    int32_t dtype_q, dtype_kv;    // enum assay_dtype
    int32_t causal;               // 0 none, 1 top left, 2 bottom right
    uint32_t row_step;            // only query rows row_first, row_first + row_step, ... and the last one
    uint32_t row_first, reserved; // row_first < row_step
};
// Any grid of blocks of DEV_ATTENTION_THREADS.
struct dev_attention_oracle {
    struct dev_attention problem;
    double *out, *lse; // lse: null when the problem has none
};
// Any grid of blocks of DEV_ATTENTION_THREADS; row_step must be 1, row_first 0.
struct dev_attention_same_precision {
    struct dev_attention problem;
    void *out;
    float *lse;
    int32_t dtype_out, reserved;
};

#endif
