// SPDX-License-Identifier: Apache-2.0
//
// Attention in checks: tolerances, slices for the same-precision reference, and smaller problems to shrink a
// failure to.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "op/attention/attention_internal.h"
#include "op/dtype.h"

// ---- tolerances ----

#define FP8_MANY_KEYS 448 // the shortest of the fuzz matrix

static bool takes_part(const struct attention_params *p, int32_t dtype) {
    return p->dtype_q == dtype || p->dtype_kv == dtype || p->dtype_out == dtype;
}

// How many times the deviation of standard normal inputs the scores of a distribution have. Offsets that
// keys share (sink, rising, sharp) count as what they add to the rounding of a sum. Scores that are exact,
// or equal, are not rounded.
static double score_factor(const char *distribution) {
    static const struct {
        const char *distribution;
        double factor;
    } table[] = {{"normal2", 2},      {"normal4", 4},     {"normal10", 10},     {"mixed", 16},
                 {"sink", 4},         {"rising", 4},      {"sharp", 4},         {"outlier_row", 16},
                 {"equal_scores", 0}, {"huge_logits", 0}, {"very_negative", 0}, {"exact", 0}};
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i)
        if (str_equal(distribution, table[i].distribution)) return table[i].factor;
    return 1;
}

// float32 rounds each of D additions to 2^-25 of a partial sum, which is about the score's deviation over
// the scale: the error of a score grows with deviation x sqrt(D), where the deviation is scale x sqrt(D) x
// factor. The worst of many scores is off by 2^-23 of that, and its weight by as much of itself.
static double score_error(const struct attention_params *p, const char *distribution) {
    return 0x1p-23 * p->scale * (double)p->head_dim * score_factor(distribution);
}

#define SMALL_SCORE_ERROR 5e-6 // deviation 4 at D = 64, with some room
#define SMALL_SCORE_BOUND 1e-5
#define LARGE_SCORE_BOUND 1e-4 // at least: deviation 16 at D = 512 with the usual scale
#define OUT_FACTOR        2.3  // V is up to 4, and two weights may be wrong in opposite directions

// What the rounding of scores in float32 makes of an output.
static double score_bound(const struct attention_params *p, const char *distribution) {
    const double error = score_error(p, distribution);
    return error <= SMALL_SCORE_ERROR ? SMALL_SCORE_BOUND : fmax(LARGE_SCORE_BOUND, OUT_FACTOR * error);
}

// The tolerance follows the coarsest type: fp8 inputs next to wider ones are read exactly, but a kernel may
// keep the weights in 16 bits.
struct op_tolerance attention_tolerance(const struct problem *problem, const char *distribution,
                                        uint32_t tensor_index) {
    const struct attention_params *p = attention_params_of(problem);
    const bool has_fp8 = takes_part(p, ASSAY_FP8_E4M3);
    struct op_tolerance ret = {.min_pass_fraction = 1, .rel_l2_max = INFINITY, .is_two_x_gated = true};
    struct problem_abi abi = {0};
    attention_describe(problem, &abi);
    if (abi.tensors[tensor_index].role == ASSAY_LSE) {
        // log-sum-exp in fp32. From inputs in fp32 it must be that; a kernel that reads narrower ones may sum
        // weights that it has rounded: the absolute bound decides.
        const bool is_wide = p->dtype_q == ASSAY_FP32 && p->dtype_kv == ASSAY_FP32;
        ret.atol = fmax(is_wide ? 1e-5 : 1e-3, score_error(p, distribution)), ret.rtol = 1e-5;
        ret.is_two_x_gated = false;
        return ret;
    }
    if (has_fp8 && p->dtype_q == p->dtype_kv) {
        // Q, K and V in e4m3: a kernel may round its weights to e4m3 too, which is off by up to 2^-4 each.
        // Over many keys that averages out; where few count (short, causal, masked, biased, sharp), single
        // elements can be off by nearly as much. The relative L2 norm and the 2 x rule hold everywhere.
        const bool has_many_keys = p->causal == CAUSAL_NONE && !p->mask && !p->bias &&
                                   p->seq_k >= FP8_MANY_KEYS &&
                                   str_equal(distribution, OP_DISTRIBUTION_DEFAULT);
        ret.atol = ret.rtol = has_many_keys ? 1e-2 : 0x1p-4;
        ret.min_pass_fraction = 0.9999;
        ret.far_factor =
            4; // a row that sees two keys of 4 and more that cancel out: 2^-4 of 4 is 4 times 2^-4
        ret.rel_l2_max = 5e-2;
    } else if (takes_part(p, ASSAY_BF16))
        ret.atol = ret.rtol = 1.6e-2;
    else if (has_fp8)
        ret.atol = ret.rtol = 1e-2;
    else if (takes_part(p, ASSAY_FP16))
        ret.atol = 2e-3, ret.rtol = 1e-3;
    // Kernels of narrower types compute scores in float32 too.
    const double bound = score_bound(p, distribution);
    ret.atol = fmax(ret.atol, bound), ret.rtol = fmax(ret.rtol, bound);
    // Beyond that few rows have two keys that count: which of them are off most is a matter of luck.
    if (bound > LARGE_SCORE_BOUND) ret.is_two_x_gated = false;
    return ret;
}

// ---- slices: group = head, batch included; row = query row ----

void attention_slice_counts(const struct problem *problem, uint64_t *ret_groups, uint64_t *ret_rows) {
    const struct attention_params *p = attention_params_of(problem);
    *ret_groups = (uint64_t)(p->batch * p->heads);
    *ret_rows = (uint64_t)p->seq_q;
}

// The part of a parent's tensor of queries and keys that belongs to one query and to keys from `key` on.
static struct assay_tensor pairs_part(const struct assay_tensor *parent, int64_t batch, int64_t head,
                                      int64_t row, int64_t key, int64_t key_count) {
    struct assay_tensor t = *parent;
    const int64_t offset = batch * t.stride[0] + head * t.stride[1] + row * t.stride[2] + key;
    t.data = (char *)t.data + offset * (int64_t)dtype_bytes(t.dtype);
    t.shape[0] = t.shape[1] = t.shape[2] = 1;
    t.shape[3] = key_count;
    return t;
}

// The part of a parent's tensor that belongs to one head and to rows [row, row + row_count), as batch 0, head
// 0.
static struct assay_tensor part(const struct assay_tensor *parent, int64_t batch, int64_t head, int64_t row,
                                int64_t row_count) {
    struct assay_tensor t = *parent;
    const int64_t offset =
        batch * t.stride[0] + head * t.stride[1] + (t.dim_count > 2 ? row * t.stride[2] : 0);
    t.data = (char *)t.data + offset * (int64_t)dtype_bytes(t.dtype);
    t.shape[0] = t.shape[1] = 1;
    if (t.dim_count > 2) t.shape[2] = row_count;
    return t;
}

// One head with row_count queries and key_count keys; the caller says what they see.
static struct attention_params *slice_params(const struct attention_unpacked *from, struct op_slice *ret,
                                             int64_t row_count, int64_t key_count) {
    ret->problem = from->problem;
    struct attention_params *p = (struct attention_params *)(void *)ret->problem.params;
    p->batch = p->heads = p->heads_kv = 1;
    p->seq_q = row_count;
    p->seq_k = key_count;
    p->causal = CAUSAL_NONE;
    p->window = 0;
    p->is_bshd = false;
    if (p->mask) p->mask = PAIR_AXES_NONE;
    if (p->bias) p->bias = PAIR_AXES_NONE;
    return p;
}

// Its tensors, for queries from `row` and keys from `key` on. The parent, unpacked, has the same roles.
static void slice_tensors(const struct attention_unpacked *from, struct op_slice *ret, uint64_t group,
                          int64_t row, int64_t key) {
    const struct attention_params *parent = attention_params_of(&from->problem),
                                  *p = attention_params_of(&ret->problem);
    const int64_t batch = (int64_t)group / parent->heads, head = (int64_t)group % parent->heads;
    const int64_t head_kv = head / (parent->heads / parent->heads_kv);
    struct problem_abi abi;
    uint32_t output = 0;
    problem_describe(&ret->problem, MEMORY_LAYOUT_DENSE, &abi);
    ret->tensor_count = abi.tensor_count;
    for (uint32_t i = 0; i < abi.tensor_count; ++i) {
        const int32_t role = abi.tensors[i].role;
        const bool is_query = role == ASSAY_Q || role == ASSAY_Q_SCALE;
        if (role == ASSAY_NAMED) {
            ret->tensors[i] = pairs_part(&from->tensors[i], batch, head, row, key, p->seq_k);
            continue;
        }
        if (abi.tensors[i].access == ASSAY_IN) {
            ret->tensors[i] = part(&from->tensors[i], batch, is_query ? head : head_kv, is_query ? row : key,
                                   is_query ? p->seq_q : p->seq_k);
            continue;
        }
        ret->tensors[i] = abi.tensors[i];
        const uint64_t count = tensor_element_count(&abi.tensors[i]) / (uint64_t)p->seq_q;
        ret->output_offset[output] = (group * (uint64_t)parent->seq_q + (uint64_t)row) * count;
        ret->output_count[output++] = count;
    }
}

void attention_slice(const struct problem *problem, const struct assay_tensor *tensors, uint64_t group,
                     uint64_t row, struct op_slice *ret) {
    struct attention_unpacked from;
    attention_unpack(problem, tensors, &from);
    const struct attention_params *parent = attention_params_of(&from.problem);
    const int64_t first_key = attention_first_key(parent, (int64_t)row);
    const struct attention_params *p =
        slice_params(&from, ret, 1, attention_visible(parent, (int64_t)row) - first_key);
    ret->tensor_count = 0;
    if (p->seq_k > 0) slice_tensors(&from, ret, group, (int64_t)row, first_key);
}

// Copies rows of Q into memory, densely.
static void *gather_rows(const struct op_rows *rows, struct assay_tensor *q) {
    const size_t bytes = (size_t)q->shape[3] * dtype_bytes(q->dtype);
    char *memory = aligned_alloc(64, (rows->count * bytes + 63) / 64 * 64);
    for (size_t i = 0; memory && i < rows->count; ++i)
        memcpy(memory + i * bytes,
               (const char *)q->data + rows->rows[i] * (uint64_t)q->stride[2] * dtype_bytes(q->dtype), bytes);
    q->data = memory;
    q->stride[2] = q->shape[3];
    return memory;
}

bool attention_slice_rows(const struct problem *problem, const struct assay_tensor *tensors,
                          const struct op_rows *rows, struct op_slice *ret, void **ret_memory) {
    struct attention_unpacked from;
    attention_unpack(problem, tensors, &from);
    const struct attention_params *parent = attention_params_of(&from.problem);
    if (parent->causal != CAUSAL_NONE || parent->window || parent->mask || parent->bias) return false;
    slice_params(&from, ret, (int64_t)rows->count, parent->seq_k);
    slice_tensors(&from, ret, rows->group, 0, 0);
    for (uint32_t i = 0; i < ret->tensor_count; ++i)
        if (ret->tensors[i].role == ASSAY_Q) *ret_memory = gather_rows(rows, &ret->tensors[i]);
    return *ret_memory != NULL;
}

// ---- shrinking ----

enum axis {
    AXIS_BATCH,
    AXIS_GROUPS, // heads of K and V; as many of Q belong to each as before
    AXIS_GROUP,  // heads of Q to one of K and V
    AXIS_SEQ,    // the shorter of both lengths; the other one stays as much longer as it is
    AXIS_SEQ_Q,
    AXIS_SEQ_K,
    AXIS_HEAD_DIM,
    AXIS_HEAD_DIM_V,
    AXIS_WINDOW,
    AXIS_COUNT
};

int64_t attention_size(const struct problem *problem, size_t axis) {
    const struct attention_params *p = attention_params_of(problem);
    const int64_t sizes[AXIS_COUNT] = {
        [AXIS_BATCH] = p->batch,
        [AXIS_GROUPS] = p->heads_kv,
        [AXIS_GROUP] = p->heads / p->heads_kv,
        [AXIS_SEQ] = p->seq_q < p->seq_k ? p->seq_q : p->seq_k,
        [AXIS_SEQ_Q] = p->seq_q,
        [AXIS_SEQ_K] = p->seq_k,
        [AXIS_HEAD_DIM] = p->head_dim,
        [AXIS_HEAD_DIM_V] = p->head_dim_v == p->head_dim ? 1 : p->head_dim_v, // not named: nothing to shrink
        [AXIS_WINDOW] = p->window ? p->window : 1,
    };
    return axis < AXIS_COUNT ? sizes[axis] : 0;
}

static void set_head_dim(struct attention_params *p, int64_t size) {
    const bool has_default_scale = p->scale == attention_scale_default(p->head_dim);
    if (p->head_dim_v == p->head_dim) p->head_dim_v = size;
    p->head_dim = size;
    if (has_default_scale) p->scale = attention_scale_default(size);
}

static void set_groups(struct attention_params *p, int64_t groups, int64_t group) {
    p->heads_kv = groups;
    p->heads = groups * group;
}

bool attention_resize(const struct problem *problem, size_t axis, int64_t size, struct problem *ret) {
    const int64_t less = attention_size(problem, axis) - size;
    *ret = *problem;
    struct attention_params *p = (struct attention_params *)(void *)ret->params;
    switch ((enum axis)axis) {
    case AXIS_BATCH: p->batch = size; break;
    case AXIS_GROUPS: set_groups(p, size, p->heads / p->heads_kv); break;
    case AXIS_GROUP: set_groups(p, p->heads_kv, size); break;
    case AXIS_SEQ: p->seq_q -= less, p->seq_k -= less; break;
    case AXIS_SEQ_Q: p->seq_q = size; break;
    case AXIS_SEQ_K: p->seq_k = size; break;
    case AXIS_HEAD_DIM: set_head_dim(p, size); break;
    case AXIS_HEAD_DIM_V: p->head_dim_v = size; break;
    case AXIS_WINDOW: p->window = size; break;
    default: return false;
    }
    problem_rename(ret);
    return attention_check(p, NULL) == 0;
}

// False: no such step.
bool attention_drop_option(struct problem *problem, size_t step) {
    struct attention_params *p = (struct attention_params *)(void *)problem->params;
    switch (step) {
    case 0: p->has_lse = false; return true;
    case 1: p->is_bshd = false; return true;
    case 2: p->scale = attention_scale_default(p->head_dim); return true;
    case 3: p->causal = CAUSAL_NONE, p->window = 0; return true;
    case 4: p->heads_kv = p->heads; return true;
    case 5: p->dtype_kv = p->dtype_q; return true;
    case 6: p->head_dim_v = p->head_dim; return true;
    case 7: p->window = 0; return true;
    case 8: p->softcap = 0; return true;
    case 9: p->mask = PAIR_AXES_ABSENT; return true;
    case 10: p->mask = p->mask ? PAIR_AXES_NONE : PAIR_AXES_ABSENT; return true;
    case 11: p->bias = PAIR_AXES_ABSENT; return true;
    case 12: p->bias = p->bias ? PAIR_AXES_NONE : PAIR_AXES_ABSENT; return true;
    case 13: p->dtype_out = attention_dtype_out_default(p->dtype_q); return true;
    case 14: p->is_packed = false; return true;
    default: return false;
    }
}
