// SPDX-License-Identifier: Apache-2.0
//
// Inputs of attention: the input distributions of Q, K, V and of the fp8 scales, masks and biases. Every row
// is a pure function of (parameters, distribution, seed, role, row), computed as real values and rounded to
// the tensor's type at the end; strides do not matter. docs/operators.md describes the distributions.
#include <assert.h>
#include <math.h>

#include "op/attention/attention_internal.h"
#include "op/attention/device_attention_core.h"
#include "op/dtype.h"
#include "op/random_normal.h"
#include "op/seed_stream.h"

enum distribution {
    DISTRIBUTION_HUGE_LOGITS,
    DISTRIBUTION_OUTLIER_ROW,
    DISTRIBUTION_EQUAL_SCORES,
    DISTRIBUTION_SUBNORMAL,
    DISTRIBUTION_NAN,
    DISTRIBUTION_INF,
    DISTRIBUTION_EXACT,
    DISTRIBUTION_VERY_NEGATIVE,
    DISTRIBUTION_NONZERO_MEAN,
    DISTRIBUTION_NORMAL2, // from here on: what is measured, beside "normal"
    DISTRIBUTION_NORMAL4,
    DISTRIBUTION_NORMAL10,
    DISTRIBUTION_MIXED,
    DISTRIBUTION_SINK,
    DISTRIBUTION_RISING,
    DISTRIBUTION_SHARP,
    DISTRIBUTION_NAME_COUNT,
    DISTRIBUTION_NORMAL = DISTRIBUTION_NAME_COUNT, // the distribution that every operator has
    DISTRIBUTION_INVALID
};

const char *const attention_distributions[] = {
    [DISTRIBUTION_HUGE_LOGITS] = "huge_logits",
    [DISTRIBUTION_OUTLIER_ROW] = "outlier_row",
    [DISTRIBUTION_EQUAL_SCORES] = "equal_scores",
    [DISTRIBUTION_SUBNORMAL] = "subnormal",
    [DISTRIBUTION_NAN] = "nan",
    [DISTRIBUTION_INF] = "inf",
    [DISTRIBUTION_EXACT] = "exact",
    [DISTRIBUTION_VERY_NEGATIVE] = "very_negative",
    [DISTRIBUTION_NONZERO_MEAN] = "nonzero_mean",
    [DISTRIBUTION_NORMAL2] = "normal2",
    [DISTRIBUTION_NORMAL4] = "normal4",
    [DISTRIBUTION_NORMAL10] = "normal10",
    [DISTRIBUTION_MIXED] = "mixed",
    [DISTRIBUTION_SINK] = "sink",
    [DISTRIBUTION_RISING] = "rising",
    [DISTRIBUTION_SHARP] = "sharp",
    [DISTRIBUTION_NAME_COUNT] = NULL,
};

static_assert(DISTRIBUTION_NORMAL2 == ATTENTION_MEASURED_FIRST, "the measured distributions are the last");

static enum distribution distribution_parse(const char *name) {
    for (int i = 0; i < DISTRIBUTION_NAME_COUNT; ++i)
        if (str_equal(name, attention_distributions[i])) return (enum distribution)i;
    return str_equal(name, OP_DISTRIBUTION_DEFAULT) ? DISTRIBUTION_NORMAL : DISTRIBUTION_INVALID;
}

#define OUTLIER_FACTOR 16.0
#define NONZERO_MEAN   2.0 // of V

// ---- what is measured: forms that the device knows too (device_attention_core.h) ----

#define SINK_KEYS    4
#define SINK_QUERY   4.0  // first column of Q; K's makes scores of the default scale from it
#define SINK_SCORE   8.0  // of the first keys, above the others
#define RISE         24.0 // from the first key to the last one
#define POINT_FACTOR 3.0  // a query is a deviate plus this much of a key

// sink and rising: the first column of K, and of Q, makes a part of the scores that depends on the key alone.
static void first_column_form(const struct attention_params *p, bool is_sink, int32_t role,
                              struct dev_attention_inputs *ret) {
    const double unit = sqrt((double)p->head_dim) / SINK_QUERY; // makes a score of 1
    ret->has_exact_scales = 1;
    if (role == ASSAY_V) return;
    ret->form = DEV_ATTENTION_FIRST_COLUMN;
    if (role == ASSAY_Q) {
        ret->line_first = SINK_QUERY;
    } else if (is_sink) {
        ret->sink_rows = SINK_KEYS;
        ret->sink_value = SINK_SCORE * unit;
    } else {
        ret->line_first = -RISE / 2 * unit;
        ret->line_step = RISE * unit / (double)p->seq_k;
    }
}

static void pointed_form(const struct attention_params *p, struct dev_attention_inputs *ret) {
    ret->form = DEV_ATTENTION_POINTED;
    ret->factor = POINT_FACTOR;
    ret->scale_factor = 1 + POINT_FACTOR;
    ret->key_stream = seed_stream("attention pointed key");
    ret->key_value_stream = attention_value_stream(ASSAY_K);
    ret->heads = p->heads, ret->heads_kv = p->heads_kv, ret->seq_k = p->seq_k;
    ret->is_causal = p->causal != CAUSAL_NONE;
    ret->causal_offset = p->causal == CAUSAL_BOTTOM_RIGHT ? p->seq_k - p->seq_q : 0;
}

bool attention_inputs_form(const struct attention_params *p, const char *distribution, uint64_t seed,
                           int32_t role_of_tensor, struct dev_attention_inputs *ret) {
    static const double deviations[] = {[DISTRIBUTION_NORMAL2] = 2,
                                        [DISTRIBUTION_NORMAL4] = 4,
                                        [DISTRIBUTION_NORMAL10] = 10,
                                        [DISTRIBUTION_NORMAL] = 1};
    const int32_t role = attention_scaled_role(role_of_tensor);
    const enum distribution kind = distribution_parse(distribution);
    *ret = (struct dev_attention_inputs){
        .seed = seed, .scale_stream = attention_scale_stream(role), .factor = 1, .scale_factor = 1};
    switch (kind) {
    case DISTRIBUTION_NORMAL:
    case DISTRIBUTION_NORMAL2:
    case DISTRIBUTION_NORMAL4:
    case DISTRIBUTION_NORMAL10:
        if (role == ASSAY_Q) ret->factor = ret->scale_factor = deviations[kind];
        return true;
    case DISTRIBUTION_MIXED:
        if (role == ASSAY_Q) ret->form = DEV_ATTENTION_MIXED;
        ret->deviation_stream = seed_stream("attention deviation");
        return true;
    case DISTRIBUTION_SINK:
    case DISTRIBUTION_RISING: first_column_form(p, kind == DISTRIBUTION_SINK, role, ret); return true;
    case DISTRIBUTION_SHARP:
        if (role == ASSAY_Q) pointed_form(p, ret);
        return true;
    default: return false;
    }
}

// ---- subnormal: K lies in the type's subnormal range, Q is large enough that the scores still matter ----

// Amplitude of K: a normal deviate (below 4 in magnitude) times this is mostly below the smallest normal
// number.
static double subnormal_key_amplitude(int32_t dtype_kv) {
    switch (dtype_kv) {
    case ASSAY_FP16: return 0x1p-16;
    case ASSAY_FP8_E4M3: return 0x1p-7; // elements of 2^-8 under a scale of 2
    default: return 0x1p-128;           // fp32 and bf16 share their exponents
    }
}

// Scores have a standard deviation of about 1/8: flushing K to zero is detected, rounding it is not.
static double subnormal_query_amplitude(int32_t dtype_kv) {
    return 0x1p-3 / subnormal_key_amplitude(dtype_kv);
}

// ---- very_negative: all scores of a row lie far below 0, and one of those that it sees far above the others
//
// Scores are units: the last key's is -1, the first one's -2, all others' -3. A unit is a power of two before
// it is multiplied by the scale. So no kernel's order of sums, scale times log2(e) in float32, or narrow type
// changes which score is best or by how much, and its weight is exactly 1.

#define NEGATIVE_UNIT     16384.0 // or down to half of it
#define NEGATIVE_FP8_UNIT 4.0     // scale of Q's and K's heads
#define NEGATIVE_FAR_LOG  3       // odd heads are further below 0: further than a number of fp16

struct negative {
    int64_t columns;        // of Q K^T that count: a power of two
    int query_log, key_log; // elements are 2^query_log in Q, units times 2^key_log in K
};

static bool has_dtype(const struct attention_params *p, int32_t dtype) {
    return p->dtype_q == dtype || p->dtype_kv == dtype;
}

static int floor_log2(double value) {
    int exponent; // of a fraction in [0.5, 1)
    frexp(value, &exponent);
    return exponent - 1;
}

static struct negative negative_of(const struct attention_params *p) {
    const int columns_log = floor_log2((double)p->head_dim);
    const int product_log = floor_log2(NEGATIVE_UNIT / p->scale) - columns_log;
    const int key_log = (product_log - (product_log & 1)) / 2;
    return (struct negative){INT64_C(1) << columns_log, product_log - key_log, key_log};
}

static bool very_negative_applies(const struct attention_params *p) {
    const struct negative n = negative_of(p);
    if (!has_dtype(p, ASSAY_FP8_E4M3)) return n.query_log + NEGATIVE_FAR_LOG < 16; // a number of fp16
    return ldexp(1, n.query_log + NEGATIVE_FAR_LOG) <= 256 * NEGATIVE_FP8_UNIT &&
           ldexp(1, n.key_log) >= 0x1p-6 * NEGATIVE_FP8_UNIT;
}

bool attention_distribution_applies(const struct problem *problem, const char *distribution) {
    const struct attention_params *p = attention_params_of(problem);
    const bool has_fp8 = p->dtype_q == ASSAY_FP8_E4M3 || p->dtype_kv == ASSAY_FP8_E4M3;
    switch (distribution_parse(distribution)) {
    case DISTRIBUTION_INVALID: return false;
    case DISTRIBUTION_INF: return !has_fp8; // e4m3 has no infinity
    case DISTRIBUTION_SUBNORMAL: {          // Q must hold the large values
        const bool is_wide = p->dtype_q == ASSAY_FP32 || p->dtype_q == ASSAY_BF16;
        return is_wide || p->dtype_kv == ASSAY_FP16 || p->dtype_kv == ASSAY_FP8_E4M3;
    }
    case DISTRIBUTION_VERY_NEGATIVE: return very_negative_applies(p);
    default: return true;
    }
}

// ---- one tensor being filled ----

struct fill {
    const struct attention_params *params;
    const struct assay_tensor *tensor;
    enum distribution distribution;
    uint64_t seed, stream;
    int32_t role; // ASSAY_Q, ASSAY_K, ASSAY_V; for a scale tensor, the role of the tensor that it scales
    bool has_form;
    struct dev_attention_inputs inputs; // where it has a form
    struct normal_source normals;
};

int32_t attention_scaled_role(int32_t role) {
    return role == ASSAY_Q_SCALE   ? ASSAY_Q
           : role == ASSAY_K_SCALE ? ASSAY_K
           : role == ASSAY_V_SCALE ? ASSAY_V
                                   : role;
}

uint64_t attention_value_stream(int32_t role) {
    return seed_stream("attention") + (uint64_t)role;
}

uint64_t attention_scale_stream(int32_t role) {
    return seed_stream("attention scale") + (uint64_t)role;
}

// The scale of head number `head` (batch included) of an fp8 tensor: the largest value stays below 448.
static double head_scale(const struct fill *f, uint64_t head) {
    if (f->has_form) return (double)dev_attention_head_scale(&f->inputs, head);
    struct dev_random random = dev_random_make(f->seed, attention_scale_stream(f->role));
    const double uniform = dev_random_uniform(&random, head);
    const double ordinary = (float)((1 + 2 * uniform) / 96); // 1/96 to 1/32, times 448 is 4.7 and more
    switch (f->distribution) {
    case DISTRIBUTION_OUTLIER_ROW: return ordinary * OUTLIER_FACTOR;
    case DISTRIBUTION_NONZERO_MEAN: return f->role == ASSAY_V ? ordinary * NONZERO_MEAN : ordinary;
    case DISTRIBUTION_HUGE_LOGITS:
    case DISTRIBUTION_EXACT: return head & 1 ? 0.25 : 0.125; // keeps small integers exact
    case DISTRIBUTION_VERY_NEGATIVE: return f->role == ASSAY_V ? ordinary : NEGATIVE_FP8_UNIT;
    case DISTRIBUTION_SUBNORMAL:
        if (f->role == ASSAY_K) return 2;
        if (f->role == ASSAY_Q) return subnormal_query_amplitude(f->params->dtype_kv) / 32;
        return ordinary;
    default: return ordinary;
    }
}

static void multiply(double *values, size_t count, double factor) {
    for (size_t i = 0; i < count; ++i) values[i] *= factor;
}

// Distributions nan and inf: one special element in one row of every fourth head of Q, of K and of V, in
// different heads, so that each tensor has its own effect. Never in key 0, which every unmasked row sees:
// so a row that sees the special key also sees an ordinary one.
static void special_value(const struct fill *f, uint64_t head, int64_t row, size_t count, double *values) {
    const uint64_t turn = f->role == ASSAY_Q ? 0 : f->role == ASSAY_K ? 1 : 2;
    const int64_t extent = f->role == ASSAY_Q ? f->params->seq_q : f->params->seq_k;
    if (head % 4 != turn || row != extent / 2) return;
    if (f->role != ASSAY_Q && row == 0) return;
    values[count / 2] = f->distribution == DISTRIBUTION_NAN ? (double)NAN : (double)INFINITY;
}

// The signs differ from column to column, and are the same in Q and K.
static void very_negative_row(const struct fill *f, uint64_t head, int64_t row, size_t count,
                              double *values) {
    const struct negative n = negative_of(f->params);
    struct dev_random signs = dev_random_make(f->seed, seed_stream("attention signs"));
    const int far_log = head % 2 ? NEGATIVE_FAR_LOG : 1;
    const double units = row == 0 ? 2 : row == f->params->seq_k - 1 ? 1 : 3;
    const double size = f->role == ASSAY_Q ? ldexp(1, n.query_log + far_log) : -units * ldexp(1, n.key_log);
    for (size_t i = 0; i < count; ++i) values[i] = dev_random_word(&signs, i) & 1 ? size : -size;
    for (size_t i = (size_t)n.columns; i < count && f->role == ASSAY_K; ++i) values[i] = 0;
}

// Row `row` of head `head` (batch included), as real values.
static void row_values(struct fill *f, uint64_t head, int64_t row, size_t count, double *values) {
    const uint64_t rows = (uint64_t)(f->role == ASSAY_Q ? f->params->seq_q : f->params->seq_k);
    const bool has_equal_keys =
        f->distribution == DISTRIBUTION_EQUAL_SCORES || f->distribution == DISTRIBUTION_EXACT;
    const bool is_first_row = f->role == ASSAY_K && has_equal_keys;
    if (f->role == ASSAY_V && f->distribution == DISTRIBUTION_EXACT) {
        // One integer per column; where every row sees all keys, their values alternate between one above and
        // one below it. All weights are equal, so the output is exactly that integer.
        const int64_t keys = f->params->seq_k;
        const bool is_paired =
            f->params->causal == CAUSAL_NONE && !f->params->mask && row < keys - (keys & 1);
        normal_row(&f->normals, (head * (uint64_t)keys) * count, count, values);
        for (size_t i = 0; i < count; ++i)
            values[i] = nearbyint(2 * values[i]) + (is_paired ? (row & 1 ? -1.0 : 1.0) : 0.0);
        return;
    }
    normal_row(&f->normals, (head * rows + (is_first_row ? 0 : (uint64_t)row)) * count, count, values);
    if (f->has_form) {
        struct dev_attention_row_inputs common = dev_attention_row_begin(&f->inputs, head, row, count);
        for (size_t i = 0; i < count; ++i)
            values[i] = dev_attention_value(&f->inputs, f->normals.table->edge, &common, i, values[i]);
    }
    switch (f->distribution) {
    case DISTRIBUTION_HUGE_LOGITS:
        // Thirds of +-16, +-32, +-48: products are multiples of 256, so scores are huge, exact in float32,
        // and either equal or far apart. Every correct kernel finds the same winners, and one that does not
        // subtract the maximum overflows.
        for (size_t i = 0; i < count && f->role != ASSAY_V; ++i) {
            const double size = fabs(values[i]);
            values[i] = copysign(16.0 * (1 + (size > 0.4307) + (size > 0.9674)), values[i]);
        }
        break;
    case DISTRIBUTION_OUTLIER_ROW:
        if ((uint64_t)row == rows / 2) multiply(values, count, OUTLIER_FACTOR);
        break;
    case DISTRIBUTION_NONZERO_MEAN:
        for (size_t i = 0; i < count && f->role == ASSAY_V; ++i) values[i] += NONZERO_MEAN;
        break;
    case DISTRIBUTION_SUBNORMAL:
        if (f->role == ASSAY_Q) multiply(values, count, subnormal_query_amplitude(f->params->dtype_kv));
        if (f->role == ASSAY_K) multiply(values, count, subnormal_key_amplitude(f->params->dtype_kv));
        break;
    case DISTRIBUTION_NAN:
    case DISTRIBUTION_INF: special_value(f, head, row, count, values); break;
    case DISTRIBUTION_VERY_NEGATIVE:
        if (f->role != ASSAY_V) very_negative_row(f, head, row, count, values);
        break;
    default: break;
    }
}

static void fill_head(struct fill *f, int64_t b, int64_t h) {
    const struct assay_tensor *t = f->tensor;
    const uint64_t head = (uint64_t)(b * t->shape[1] + h);
    const size_t count = (size_t)t->shape[3];
    const double inverse = t->dtype == ASSAY_FP8_E4M3 ? 1 / head_scale(f, head) : 1;
    double values[ATTENTION_HEAD_DIM_MAX];
    for (int64_t row = 0; row < t->shape[2]; ++row) {
        row_values(f, head, row, count, values);
        if (t->dtype == ASSAY_FP8_E4M3) multiply(values, count, inverse);
        const int64_t offset = b * t->stride[0] + h * t->stride[1] + row * t->stride[2];
        dtype_store_row(t->dtype, (char *)t->data + offset * (int64_t)dtype_bytes(t->dtype), count, values);
    }
}

// ---- masks and biases: an element for every query and key ----

#define MASK_TILE          64 // keys and queries that a kernel may skip at once
#define MASK_BLIND_ODDS    16
#define MASK_TILE_ODDS     4
#define MASK_KEY_ODDS      4
#define BIAS_CHUNK         256
#define BIAS_INFINITY_ODDS 8

// Draws of a mask or bias, each of one odds.
struct draws {
    struct dev_random blind_rows, hidden_tiles, keys, infinities;
};

static struct draws draws_of(const struct fill *f) {
    return (struct draws){.blind_rows = dev_random_make(f->seed, seed_stream("attention blind row")),
                          .hidden_tiles = dev_random_make(f->seed, seed_stream("attention hidden tile")),
                          .keys = dev_random_make(f->seed, seed_stream("attention mask")),
                          .infinities = dev_random_make(f->seed, seed_stream("attention bias infinity"))};
}

static bool is_drawn(struct dev_random *random, uint64_t index, uint32_t odds) {
    return dev_random_word(random, index) % odds == 0;
}

// One row in 16 sees nothing, which the first row is spared; in the others a tile in four is hidden, but for
// one of every row of tiles, and of the rest one key in four.
static void mask_row(const struct fill *f, struct draws *draws, uint64_t head, int64_t row, int8_t *values) {
    const int64_t keys = f->params->seq_k, tiles = (keys + MASK_TILE - 1) / MASK_TILE;
    const int64_t tile_row = row / MASK_TILE, tile_rows = (f->params->seq_q + MASK_TILE - 1) / MASK_TILE;
    const uint64_t row_index = head * (uint64_t)f->params->seq_q + (uint64_t)row,
                   tile_index = (head * (uint64_t)tile_rows + (uint64_t)tile_row) * (uint64_t)tiles;
    const bool is_blind = row > 0 && is_drawn(&draws->blind_rows, row_index, MASK_BLIND_ODDS);
    for (int64_t tile = 0; tile < tiles; ++tile) {
        const int64_t first = tile * MASK_TILE, end = first + MASK_TILE < keys ? first + MASK_TILE : keys;
        const bool is_tile_hidden =
            is_drawn(&draws->hidden_tiles, tile_index + (uint64_t)tile, MASK_TILE_ODDS);
        const bool is_hidden = is_blind || (is_tile_hidden && tile != tile_row % tiles);
        for (int64_t key = first; key < end; ++key)
            values[key] = !is_hidden &&
                          !is_drawn(&draws->keys, row_index * (uint64_t)keys + (uint64_t)key, MASK_KEY_ODDS);
    }
}

// Deviates. 0 where scores are so large that the last bits of a sum with a bias would decide; with
// infinities, -infinity in some places, never the first key's.
static void bias_row(struct fill *f, struct draws *draws, uint64_t head, int64_t row, char *at) {
    const uint64_t keys = (uint64_t)f->params->seq_k,
                   first = (head * (uint64_t)f->params->seq_q + (uint64_t)row) * keys;
    const bool is_zero = f->distribution == DISTRIBUTION_HUGE_LOGITS ||
                         f->distribution == DISTRIBUTION_VERY_NEGATIVE ||
                         f->distribution == DISTRIBUTION_EXACT; // whose results are integers
    double values[BIAS_CHUNK] = {0};
    for (uint64_t key = 0; key < keys; key += BIAS_CHUNK) {
        const size_t count = keys - key < BIAS_CHUNK ? (size_t)(keys - key) : BIAS_CHUNK;
        if (!is_zero) normal_row(&f->normals, first + key, count, values);
        for (size_t i = 0; i < count && f->distribution == DISTRIBUTION_INF; ++i)
            if (key + i > 0 && is_drawn(&draws->infinities, first + key + i, BIAS_INFINITY_ODDS))
                values[i] = -INFINITY;
        dtype_store_row(f->tensor->dtype, at + key * dtype_bytes(f->tensor->dtype), count, values);
    }
}

static void fill_pairs(struct fill *f) {
    const struct assay_tensor *t = f->tensor;
    const bool is_mask = str_equal(t->name, "mask");
    struct draws draws = draws_of(f);
    normal_source_init(&f->normals, f->seed, seed_stream("attention bias"));
    for (int64_t b = 0; b < t->shape[0]; ++b)
        for (int64_t h = 0; h < t->shape[1]; ++h)
            for (int64_t row = 0; row < t->shape[2]; ++row) {
                const int64_t offset = b * t->stride[0] + h * t->stride[1] + row * t->stride[2];
                char *at = (char *)t->data + offset * (int64_t)dtype_bytes(t->dtype);
                const uint64_t head = (uint64_t)(b * t->shape[1] + h);
                if (is_mask)
                    mask_row(f, &draws, head, row, (int8_t *)at);
                else
                    bias_row(f, &draws, head, row, at);
            }
}

static void fill_matrix(struct fill *f) {
    normal_source_init(&f->normals, f->seed, f->stream);
    for (int64_t b = 0; b < f->tensor->shape[0]; ++b)
        for (int64_t h = 0; h < f->tensor->shape[1]; ++h) fill_head(f, b, h);
}

// Q, K and V in one tensor: each as it would be in a tensor of its own.
static void fill_packed(const struct fill *f, const struct problem *problem, const char *distribution) {
    struct problem_abi abi = {0};
    struct attention_unpacked at;
    attention_describe(problem, &abi);
    abi.tensors[0] = *f->tensor;
    attention_unpack(problem, abi.tensors, &at);
    for (int i = 0; i < 3; ++i) {
        struct fill part = *f;
        part.tensor = &at.tensors[i];
        part.role = part.tensor->role;
        part.stream = attention_value_stream(part.role);
        part.has_form = attention_inputs_form(f->params, distribution, f->seed, part.role, &part.inputs);
        fill_matrix(&part);
    }
}

int attention_fill(const struct problem *problem, const char *distribution, uint64_t seed,
                   uint32_t tensor_index, const struct assay_tensor *tensor, struct err *err) {
    (void)tensor_index; // the role is enough
    struct fill f = {.params = attention_params_of(problem),
                     .tensor = tensor,
                     .distribution = distribution_parse(distribution),
                     .seed = seed,
                     .role = attention_scaled_role(tensor->role)};
    if (f.distribution == DISTRIBUTION_INVALID)
        return err_set(err, ERR_USAGE, "attention has no input distribution '%s'", distribution);
    f.stream = attention_value_stream(f.role);
    f.has_form = attention_inputs_form(f.params, distribution, seed, f.role, &f.inputs);
    if (tensor_is_statistic(tensor)) {
        for (int64_t b = 0; b < tensor->shape[0]; ++b)
            for (int64_t h = 0; h < tensor->shape[1]; ++h)
                ((float *)tensor->data)[b * tensor->stride[0] + h * tensor->stride[1]] =
                    (float)head_scale(&f, (uint64_t)(b * tensor->shape[1] + h));
        return 0;
    }
    if (tensor->role != ASSAY_NAMED)
        fill_matrix(&f);
    else if (str_equal(tensor->name, "qkv"))
        fill_packed(&f, problem, distribution);
    else
        fill_pairs(&f);
    return 0;
}
