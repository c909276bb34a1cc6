// SPDX-License-Identifier: Apache-2.0
//
// An attention problem in plain numbers: struct attention_args (sizes, mask, scale, strides), read once in
// prepare, and struct attention_data (pointers), read in every launch. The readers reject anything but a
// well-formed attention problem; each kernel decides which dtypes and sizes it supports. Strides are in
// elements.
#ifndef ATTENTION_ATTENTION_ARGS_H
#define ATTENTION_ATTENTION_ARGS_H

#include <assay/kernel.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/convert.h"

#define ATTENTION_MASK_NONE         0
#define ATTENTION_MASK_TOP_LEFT     1 // key j is visible to query i when j <= i
#define ATTENTION_MASK_BOTTOM_RIGHT 2 // ... when j <= i + seq_k - seq_q

// A rank-4 tensor [batch][head][row][dim] whose innermost stride is 1.
struct attention_view {
    int32_t dtype;
    int64_t stride_batch, stride_head, stride_row;
    int64_t element_bytes;
};

struct attention_args {
    int64_t batch, heads, heads_kv, seq_q, seq_k, head_dim;
    int64_t head_dim_v; // of V and O; others than head_dim only for kernels with that feature
    int64_t window;     // a causal row sees the last so many of its keys; 0: all. A feature, as softcap
    float softcap;      // a score s becomes softcap tanh(s / softcap); 0: it stays
    int64_t group;      // query heads that share one key head: heads / heads_kv
    int32_t mask;       // ATTENTION_MASK_...
    float scale;        // multiplies Q K^T
    struct attention_view q, k, v, o;
};

// The pointers of one launch. lse and the scales are null if the problem has none.
struct attention_data {
    const char *q, *k, *v;
    char *o;
    float *lse;                               // [batch][heads][seq_q]
    const float *q_scale, *k_scale, *v_scale; // [batch][heads or heads_kv]
};

// Offset of a row in bytes: data pointers are char, since element sizes differ.
static inline int64_t attention_row_bytes(const struct attention_view *view, int64_t batch, int64_t head,
                                          int64_t row) {
    return (batch * view->stride_batch + head * view->stride_head + row * view->stride_row) *
           view->element_bytes;
}

// How many keys the query row sees, counted from the first: 0 to seq_k.
static inline int64_t attention_visible_keys(const struct attention_args *args, int64_t row) {
    if (args->mask == ATTENTION_MASK_NONE) return args->seq_k;
    const int64_t visible =
        row + 1 + (args->mask == ATTENTION_MASK_BOTTOM_RIGHT ? args->seq_k - args->seq_q : 0);
    if (visible < 0) return 0;
    return visible < args->seq_k ? visible : args->seq_k;
}

// The first key that the query row sees: above 0 only with a window.
static inline int64_t attention_first_key(const struct attention_args *args, int64_t row) {
    const int64_t end = row + 1 + (args->mask == ATTENTION_MASK_BOTTOM_RIGHT ? args->seq_k - args->seq_q : 0);
    return args->window > 0 && end > args->window ? end - args->window : 0;
}

static inline bool attention_view_read(const struct assay_problem *problem, int32_t role,
                                       const int64_t *shape, struct attention_view *ret) {
    struct assay_tensor part;
    const struct assay_tensor *tensor = &part;
    if (role == ASSAY_O)
        tensor = assay_tensor_find(&problem->tensors, role);
    else if (!assay_qkv(&problem->tensors, role, &part))
        return false;
    if (!tensor || tensor->dim_count != 4 || tensor->stride[3] != 1) return false;
    for (int i = 0; i < 4; ++i)
        if (tensor->shape[i] != shape[i]) return false;
    ret->dtype = tensor->dtype;
    ret->element_bytes = (int64_t)convert_dtype_bytes(tensor->dtype);
    ret->stride_batch = tensor->stride[0];
    ret->stride_head = tensor->stride[1];
    ret->stride_row = tensor->stride[2];
    return ret->element_bytes > 0;
}

// A tensor with an element for every query and key, [batch or 1][heads or 1][seq_q][seq_k], whose strides of
// extents of 1 are 0. True, and nothing read, where the problem has none of that name.
static inline bool attention_pairs_read(const struct assay_problem *problem, const char *name,
                                        const struct attention_args *args, struct attention_view *ret) {
    const struct assay_tensor *tensor = assay_tensor_named(&problem->tensors, name);
    if (!tensor) return true;
    if (tensor->dim_count != 4 || tensor->stride[3] != 1 || tensor->shape[2] != args->seq_q ||
        tensor->shape[3] != args->seq_k)
        return false;
    const int64_t extents[2] = {args->batch, args->heads};
    for (int i = 0; i < 2; ++i)
        if (tensor->shape[i] != extents[i] && (tensor->shape[i] != 1 || tensor->stride[i] != 0)) return false;
    ret->dtype = tensor->dtype;
    ret->element_bytes = assay_dtype_bytes(tensor->dtype);
    ret->stride_batch = tensor->stride[0];
    ret->stride_head = tensor->stride[1];
    ret->stride_row = tensor->stride[2];
    return true;
}

static inline int64_t attention_size_read(const struct assay_problem *problem, const char *name) {
    const double value = assay_scalar_get(problem->scalars, problem->scalar_count, name, -1.0);
    return value >= 1.0 && value <= 0x1p40 ? (int64_t)value : -1;
}

static inline int attention_args_read(const struct assay_problem *problem, struct attention_args *ret,
                                      struct assay_message *message) {
    struct attention_args args = {.batch = attention_size_read(problem, "batch"),
                                  .heads = attention_size_read(problem, "heads"),
                                  .heads_kv = attention_size_read(problem, "heads_kv"),
                                  .seq_q = attention_size_read(problem, "seq_q"),
                                  .seq_k = attention_size_read(problem, "seq_k"),
                                  .head_dim = attention_size_read(problem, "head_dim")};
    if (args.batch < 1 || args.heads < 1 || args.heads_kv < 1 || args.seq_q < 1 || args.seq_k < 1 ||
        args.head_dim < 1)
        return assay_say(message, ASSAY_UNSUPPORTED, "a size of the attention problem is missing or below 1");
    if (args.heads % args.heads_kv != 0)
        return assay_say(message, ASSAY_UNSUPPORTED, "heads is not a multiple of heads_kv");
    args.group = args.heads / args.heads_kv;

    const double mask = assay_scalar_get(problem->scalars, problem->scalar_count, "causal", 0.0);
    const double scale = assay_scalar_get(problem->scalars, problem->scalar_count, "scale", 1.0);
    if (!(mask == 0.0 || mask == 1.0 || mask == 2.0))
        return assay_say(message, ASSAY_UNSUPPORTED, "unknown kind of causal mask");
    if (!isfinite(scale)) return assay_say(message, ASSAY_UNSUPPORTED, "scale is not finite");
    args.mask = (int32_t)mask;
    args.scale = (float)scale;
    args.head_dim_v = attention_size_read(problem, "head_dim_v");
    if (args.head_dim_v < 1) args.head_dim_v = args.head_dim;
    args.window = (int64_t)assay_problem_get(problem, "window");
    args.softcap = (float)assay_problem_get(problem, "softcap");

    const int64_t shape_q[4] = {args.batch, args.heads, args.seq_q, args.head_dim};
    const int64_t shape_k[4] = {args.batch, args.heads_kv, args.seq_k, args.head_dim};
    const int64_t shape_v[4] = {args.batch, args.heads_kv, args.seq_k, args.head_dim_v};
    const int64_t shape_o[4] = {args.batch, args.heads, args.seq_q, args.head_dim_v};
    if (!attention_view_read(problem, ASSAY_Q, shape_q, &args.q) ||
        !attention_view_read(problem, ASSAY_K, shape_k, &args.k) ||
        !attention_view_read(problem, ASSAY_V, shape_v, &args.v) ||
        !attention_view_read(problem, ASSAY_O, shape_o, &args.o))
        return assay_say(message, ASSAY_UNSUPPORTED,
                         "Q, K, V or O is missing, or its shape, stride or dtype is none "
                         "that this kernel reads");
    *ret = args;
    return ASSAY_OK;
}

static inline void *attention_pointer(const struct assay_tensors *tensors, int32_t role) {
    const struct assay_tensor *tensor = assay_tensor_find(tensors, role);
    return tensor ? tensor->data : NULL;
}

static inline const char *attention_input_pointer(const struct assay_tensors *tensors, int32_t role) {
    struct assay_tensor part;
    return assay_qkv(tensors, role, &part) ? (const char *)part.data : NULL;
}

static inline int attention_data_read(const struct assay_tensors *tensors, struct attention_data *ret,
                                      struct assay_message *message) {
    ret->q = attention_input_pointer(tensors, ASSAY_Q);
    ret->k = attention_input_pointer(tensors, ASSAY_K);
    ret->v = attention_input_pointer(tensors, ASSAY_V);
    ret->o = (char *)attention_pointer(tensors, ASSAY_O);
    ret->lse = (float *)attention_pointer(tensors, ASSAY_LSE);
    ret->q_scale = (const float *)attention_pointer(tensors, ASSAY_Q_SCALE);
    ret->k_scale = (const float *)attention_pointer(tensors, ASSAY_K_SCALE);
    ret->v_scale = (const float *)attention_pointer(tensors, ASSAY_V_SCALE);
    if (!ret->q || !ret->k || !ret->v || !ret->o)
        return assay_say(message, ASSAY_FAILED, "launch got no data for Q, K, V or O");
    return ASSAY_OK;
}

#endif
