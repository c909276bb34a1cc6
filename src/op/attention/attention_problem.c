// SPDX-License-Identifier: Apache-2.0
//
// Attention problems: which keys a row sees, the limits of the parameters, the tensors, the work model.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "op/attention/attention_internal.h"
#include "op/dtype.h"

#define EXTENT_MAX      INT32_MAX           // kernels may keep an extent in 32 bits
#define PROBLEM_MAX     (256.0 * (1 << 30)) // bytes of all tensors together
#define SCALE_MIN       1e-6
#define SCALE_MAX       1e6
#define ROW_ALIGN_BYTES 16 // the ABI's promise for every stride but the innermost

double attention_scale_default(int64_t head_dim) {
    return 1.0 / sqrt((double)head_dim);
}

int32_t attention_dtype_out_default(int32_t dtype_q) {
    return dtype_q == ASSAY_FP8_E4M3 ? ASSAY_FP16 : dtype_q;
}

static int64_t causal_shift(const struct attention_params *params) {
    return params->causal == CAUSAL_BOTTOM_RIGHT ? params->seq_k - params->seq_q : 0;
}

int64_t attention_visible(const struct attention_params *params, int64_t row) {
    if (params->causal == CAUSAL_NONE) return params->seq_k;
    const int64_t count = row + 1 + causal_shift(params) + params->mask_shift;
    return count < 0 ? 0 : count > params->seq_k ? params->seq_k : count;
}

int64_t attention_first_key(const struct attention_params *params, int64_t row) {
    if (params->causal == CAUSAL_NONE || !params->window) return 0;
    const int64_t first = row + 1 + causal_shift(params) - params->window;
    return first < 0 ? 0 : first;
}

// ---- limits ----

// Bytes of a tensor with elements of that size for every query and key, at most.
static double pair_bytes(const struct attention_params *p, int32_t axes, double element) {
    if (axes == PAIR_AXES_ABSENT) return 0;
    const double heads = pair_axes_has_heads(axes) ? (double)p->heads : 1,
                 batch = pair_axes_has_batch(axes) ? (double)p->batch : 1;
    return batch * heads * (double)p->seq_q * ((double)p->seq_k * element + 2 * ROW_ALIGN_BYTES);
}

static int check_features(const struct attention_params *p, struct err *err) {
    if (p->head_dim_v < 1 || p->head_dim_v > ATTENTION_HEAD_DIM_MAX)
        return err_set(err, ERR_USAGE, "dv (V's head dimension) is %lld, allowed are 1 to %d",
                       (long long)p->head_dim_v, ATTENTION_HEAD_DIM_MAX);
    if (p->window < 0 || p->window > EXTENT_MAX)
        return err_set(err, ERR_USAGE, "window is %lld, allowed are 1 to %d", (long long)p->window,
                       EXTENT_MAX);
    if (p->window && p->causal == CAUSAL_NONE)
        return err_set(err, ERR_USAGE, "window is for a causal mask: add causal or causal_br");
    if (p->is_packed && (p->seq_q != p->seq_k || p->dtype_q != p->dtype_kv || p->head_dim != p->head_dim_v))
        return err_set(err, ERR_USAGE,
                       "qkv_packed is one tensor: queries and keys have one length, type and head dimension");
    if (p->is_packed && p->is_bshd)
        return err_set(err, ERR_USAGE, "qkv_packed has the memory order of bshd: leave out bshd");
    if (p->softcap != 0 && !(p->softcap >= SCALE_MIN && p->softcap <= SCALE_MAX))
        return err_set(err, ERR_USAGE, "softcap is %g, allowed are %g to %g", p->softcap, SCALE_MIN,
                       SCALE_MAX);
    return 0;
}

int attention_check(const struct attention_params *p, struct err *err) {
    const int64_t extents[] = {p->batch, p->heads, p->heads_kv, p->seq_q, p->seq_k};
    static const char *const names[] = {"b", "h", "hkv", "sq (or s)", "sk (or s)"};
    for (size_t i = 0; i < sizeof extents / sizeof extents[0]; ++i)
        if (extents[i] < 1 || extents[i] > EXTENT_MAX)
            return err_set(err, ERR_USAGE, "%s is %lld, allowed are 1 to %d", names[i], (long long)extents[i],
                           EXTENT_MAX);
    if (p->head_dim < 1 || p->head_dim > ATTENTION_HEAD_DIM_MAX)
        return err_set(err, ERR_USAGE, "d (the head dimension) is %lld, allowed are 1 to %d",
                       (long long)p->head_dim, ATTENTION_HEAD_DIM_MAX);
    if (p->heads % p->heads_kv != 0)
        return err_set(err, ERR_USAGE, "h (%lld) must be a multiple of hkv (%lld)", (long long)p->heads,
                       (long long)p->heads_kv);
    if (!(p->scale >= SCALE_MIN && p->scale <= SCALE_MAX))
        return err_set(err, ERR_USAGE, "scale is %g, allowed are %g to %g", p->scale, SCALE_MIN, SCALE_MAX);
    TRY(check_features(p, err));
    // Upper bound of the bytes of all tensors, in floating point so that it cannot overflow.
    const double queries = (double)p->batch * (double)p->heads * (double)p->seq_q;
    const double keys = (double)p->batch * (double)p->heads_kv * (double)p->seq_k;
    const double dim = fmax((double)p->head_dim, (double)p->head_dim_v),
                 row = dim * 4 + 2 * ROW_ALIGN_BYTES; // fp32, rounded up and padded
    const double bytes = 2 * (queries + keys) * row + pair_bytes(p, p->mask, 1) + pair_bytes(p, p->bias, 4);
    if (!(bytes <= PROBLEM_MAX))
        return err_set(err, ERR_USAGE, "the tensors would need about %.3g GiB, allowed are %.0f GiB",
                       bytes / (1 << 30), PROBLEM_MAX / (1 << 30));
    return 0;
}

// ---- tensors ----

// Elements from one row to the next: rows begin at multiples of 16 bytes.
static int64_t row_pitch(int64_t row_elements, int32_t dtype) {
    const int64_t element = (int64_t)dtype_bytes(dtype);
    return (row_elements * element + ROW_ALIGN_BYTES - 1) / ROW_ALIGN_BYTES * ROW_ALIGN_BYTES / element;
}

// Q, K, V, O: the shape is always [B][heads][seq][dim]; only the strides depend on the layout.
static struct assay_tensor matrix(const struct attention_params *p, const char *name, int32_t role,
                                  int64_t heads, int64_t seq) {
    const bool is_out = role == ASSAY_O;
    const int32_t dtype = is_out ? p->dtype_out : role == ASSAY_Q ? p->dtype_q : p->dtype_kv;
    const int64_t dim = is_out || role == ASSAY_V ? p->head_dim_v : p->head_dim;
    const int64_t pitch = row_pitch(dim, dtype);
    const bool is_bshd = p->is_bshd || p->is_packed;
    return (struct assay_tensor){
        .name = name,
        .role = role,
        .access = is_out ? ASSAY_OUT : ASSAY_IN,
        .dtype = dtype,
        .dim_count = 4,
        .shape = {p->batch, heads, seq, dim},
        .stride = {heads * seq * pitch, is_bshd ? pitch : seq * pitch, is_bshd ? heads * pitch : pitch, 1}};
}

// A token after the other: the heads of Q, then those of K, then those of V.
static struct assay_tensor packed(const struct attention_params *p) {
    const int64_t heads = p->heads + 2 * p->heads_kv, pitch = row_pitch(p->head_dim, p->dtype_q);
    return (struct assay_tensor){.name = "qkv",
                                 .role = ASSAY_NAMED,
                                 .access = ASSAY_IN,
                                 .dtype = p->dtype_q,
                                 .dim_count = 4,
                                 .shape = {p->batch, p->seq_q, heads, p->head_dim},
                                 .stride = {p->seq_q * heads * pitch, heads * pitch, pitch, 1}};
}

static struct assay_tensor scales(const struct attention_params *p, const char *name, int32_t role,
                                  int64_t heads) {
    return (struct assay_tensor){.name = name,
                                 .role = role,
                                 .flags = ASSAY_STATISTIC,
                                 .access = ASSAY_IN,
                                 .dtype = ASSAY_FP32,
                                 .dim_count = 2,
                                 .shape = {p->batch, heads},
                                 .stride = {heads, 1}};
}

// Strides of 0 where it has no axis of its own, so that a kernel may index it with any batch entry and head.
static struct assay_tensor pairs(const struct attention_params *p, const char *name, int32_t dtype,
                                 int32_t axes) {
    const bool has_batch = pair_axes_has_batch(axes), has_heads = pair_axes_has_heads(axes);
    const int64_t heads = has_heads ? p->heads : 1, pitch = row_pitch(p->seq_k, dtype);
    return (struct assay_tensor){
        .name = name,
        .role = ASSAY_NAMED,
        .access = ASSAY_IN,
        .dtype = dtype,
        .dim_count = 4,
        .shape = {has_batch ? p->batch : 1, heads, p->seq_q, p->seq_k},
        .stride = {has_batch ? heads * p->seq_q * pitch : 0, has_heads ? p->seq_q * pitch : 0, pitch, 1}};
}

// Names and scalars of the features that a problem has.
static void add_features(const struct attention_params *p, struct problem_abi *ret) {
    const struct assay_scalar values[] = {
        {"head_dim_v", p->head_dim_v == p->head_dim ? 0 : (double)p->head_dim_v},
        {"window", (double)p->window},
        {"softcap", p->softcap},
        {"mask", p->mask != PAIR_AXES_ABSENT},
        {"bias", p->bias != PAIR_AXES_ABSENT},
        {"out_dtype", p->dtype_out == attention_dtype_out_default(p->dtype_q) ? 0 : (double)p->dtype_out},
        {"qkv_packed", p->is_packed},
    };
    size_t length = 0;
    for (size_t i = 0; i < sizeof values / sizeof *values; ++i) {
        if (values[i].value == 0) continue;
        length += (size_t)snprintf(ret->features + length, sizeof ret->features - length, "%s%s",
                                   length ? " " : "", values[i].name);
        ret->scalars[ret->problem.scalar_count++] = values[i];
    }
    ret->problem.features = ret->features;
}

void attention_describe(const struct problem *problem, struct problem_abi *ret) {
    const struct attention_params *p = attention_params_of(problem);
    uint32_t n = 0;
    if (p->is_packed) {
        ret->tensors[n++] = packed(p);
    } else {
        ret->tensors[n++] = matrix(p, "q", ASSAY_Q, p->heads, p->seq_q);
        ret->tensors[n++] = matrix(p, "k", ASSAY_K, p->heads_kv, p->seq_k);
        ret->tensors[n++] = matrix(p, "v", ASSAY_V, p->heads_kv, p->seq_k);
    }
    if (p->dtype_q == ASSAY_FP8_E4M3) ret->tensors[n++] = scales(p, "q_scale", ASSAY_Q_SCALE, p->heads);
    if (p->dtype_kv == ASSAY_FP8_E4M3) {
        ret->tensors[n++] = scales(p, "k_scale", ASSAY_K_SCALE, p->heads_kv);
        ret->tensors[n++] = scales(p, "v_scale", ASSAY_V_SCALE, p->heads_kv);
    }
    if (p->mask) ret->tensors[n++] = pairs(p, "mask", ASSAY_INT8, p->mask);
    if (p->bias) ret->tensors[n++] = pairs(p, "bias", p->dtype_out, p->bias);
    ret->tensors[n++] = matrix(p, "out", ASSAY_O, p->heads, p->seq_q);
    if (p->has_lse)
        ret->tensors[n++] = (struct assay_tensor){.name = "lse",
                                                  .role = ASSAY_LSE,
                                                  .flags = ASSAY_STATISTIC,
                                                  .access = ASSAY_OUT,
                                                  .dtype = ASSAY_FP32,
                                                  .dim_count = 3,
                                                  .shape = {p->batch, p->heads, p->seq_q},
                                                  .stride = {p->heads * p->seq_q, p->seq_q, 1}};
    ret->tensor_count = n;

    const struct assay_scalar values[] = {
        {"batch", (double)p->batch},   {"heads", (double)p->heads}, {"heads_kv", (double)p->heads_kv},
        {"seq_q", (double)p->seq_q},   {"seq_k", (double)p->seq_k}, {"head_dim", (double)p->head_dim},
        {"causal", (double)p->causal}, {"scale", p->scale},
    };
    memcpy(ret->scalars, values, sizeof values);
    ret->problem.scalar_count = sizeof values / sizeof values[0];
    ret->problem.axis_count = 6; // all but the mask and the scale
    add_features(p, ret);
}

struct attention_tensors attention_tensors_find(const struct assay_tensor *tensors, uint32_t tensor_count) {
    const struct assay_tensors list = {.struct_size = sizeof list,
                                       .tensor_count = tensor_count,
                                       .tensor_bytes = sizeof(struct assay_tensor),
                                       .items = tensors};
    return (struct attention_tensors){
        .q = assay_tensor_find(&list, ASSAY_Q),
        .k = assay_tensor_find(&list, ASSAY_K),
        .v = assay_tensor_find(&list, ASSAY_V),
        .q_scale = assay_tensor_find(&list, ASSAY_Q_SCALE),
        .k_scale = assay_tensor_find(&list, ASSAY_K_SCALE),
        .v_scale = assay_tensor_find(&list, ASSAY_V_SCALE),
        .mask = assay_tensor_named(&list, "mask"),
        .bias = assay_tensor_named(&list, "bias"),
        .out = assay_tensor_find(&list, ASSAY_O),
        .lse = assay_tensor_find(&list, ASSAY_LSE),
    };
}

void attention_unpack(const struct problem *problem, const struct assay_tensor *tensors,
                      struct attention_unpacked *ret) {
    static const int32_t roles[] = {ASSAY_Q, ASSAY_K, ASSAY_V};
    struct problem_abi abi;
    attention_describe(problem, &abi);
    ret->problem = *problem;
    struct attention_params *p = (struct attention_params *)(void *)ret->problem.params;
    const uint32_t first = p->is_packed ? 1 : 0, views = p->is_packed ? 3 : 0; // tensors that are replaced
    const struct assay_tensors list = {.struct_size = sizeof list,
                                       .tensor_count = abi.tensor_count,
                                       .tensor_bytes = sizeof *tensors,
                                       .items = tensors};
    for (uint32_t i = 0; i < views; ++i) (void)assay_qkv(&list, roles[i], &ret->tensors[i]);
    memcpy(ret->tensors + views, tensors + first, (abi.tensor_count - first) * sizeof *tensors);
    ret->tensor_count = abi.tensor_count - first + views;
    if (!p->is_packed) return;
    p->is_packed = false;
    p->is_bshd = true;
    problem_rename(&ret->problem);
}

// ---- work ----

// Keys below the diagonal j = i + shift, the diagonal's own cells counted half, so that Sq = Sk gives exactly
// the half of Sq Sk that the literature counts, and for other shapes the visible part counts.
static double pairs_below(const struct attention_params *p, double shift) {
    const double seq_q = (double)p->seq_q, seq_k = (double)p->seq_k;
    const double first = fmin(fmax(0.0, -shift), seq_q);         // where the diagonal enters
    const double last = fmax(fmin(seq_q, seq_k - shift), first); // where it leaves; later rows see all keys
    return (first + last + 2 * shift) / 2 * (last - first) + (seq_q - last) * seq_k;
}

double attention_flops(const struct problem *problem) {
    const struct attention_params *p = attention_params_of(problem);
    const double shift = (double)causal_shift(p);
    double pairs = (double)p->seq_q * (double)p->seq_k; // of a query and a key
    if (p->causal != CAUSAL_NONE) pairs = pairs_below(p, shift);
    if (p->window) pairs -= pairs_below(p, shift - (double)p->window);
    return 2.0 * (double)p->batch * (double)p->heads * (double)(p->head_dim + p->head_dim_v) * pairs;
}

double attention_bytes(const struct problem *problem) {
    struct problem_abi abi = {0};
    attention_describe(problem, &abi);
    double bytes = 0;
    for (uint32_t i = 0; i < abi.tensor_count; ++i)
        bytes += (double)tensor_element_count(&abi.tensors[i]) * (double)dtype_bytes(abi.tensors[i].dtype);
    return bytes;
}
