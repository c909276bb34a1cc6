// SPDX-License-Identifier: Apache-2.0
//
// Names of attention problems: fields to parameters and back, with an error message for every invalid
// field. attention_check knows which sizes are valid together. docs/operators.md has the grammar as a
// table.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "op/attention/attention_internal.h"
#include "op/dtype.h"

#define GRAMMAR                                                                                              \
    "attention/<dtype>[/kv_<dtype>]/b<B>/h<H>[/hkv<Hkv>]/s<S>/d<D>[/dv<Dv>][/causal|/causal_br]"             \
    "[/window<W>][/mask[_b|_h|_bh]][/bias[_b|_h|_bh]][/scale<float>][/softcap<float>]"                       \
    "[/out_<dtype>][/bshd|/qkv_packed][/lse], "                                                              \
    "with /sq<Sq>/sk<Sk> in place of /s<S> when they differ"

// Fields with a number. rank: the position of a required field; 0: optional, allowed anywhere. `s` sets sq
// and sk together.
static const struct size_field {
    const char *prefix;
    unsigned rank;
    size_t offset;
} size_fields[] = {
    {"hkv", 0, offsetof(struct attention_params, heads_kv)},
    {"dv", 0, offsetof(struct attention_params, head_dim_v)},
    {"window", 0, offsetof(struct attention_params, window)},
    {"sq", 3, offsetof(struct attention_params, seq_q)},
    {"sk", 4, offsetof(struct attention_params, seq_k)},
    {"b", 1, offsetof(struct attention_params, batch)},
    {"h", 2, offsetof(struct attention_params, heads)},
    {"s", 3, offsetof(struct attention_params, seq_q)},
    {"d", 5, offsetof(struct attention_params, head_dim)},
};

static const char *const pair_suffixes[] = {
    [PAIR_AXES_NONE] = "", [PAIR_AXES_B] = "_b", [PAIR_AXES_H] = "_h", [PAIR_AXES_BH] = "_bh"};

struct name_parse {
    struct attention_params *params;
    unsigned rank; // of the last required field
    bool has_kv, has_scale, has_softcap, has_s, has_sq, has_sk;
};

static int twice(const char *field, struct err *err) {
    return err_set(err, ERR_USAGE,
                   "'%.40s' says what an earlier field has said already; give each field once", field);
}

static int parse_size(const char *field, struct name_parse *state, struct err *err) {
    for (size_t i = 0; i < sizeof size_fields / sizeof size_fields[0]; ++i) {
        const struct size_field *kind = &size_fields[i];
        if (!str_starts(field, kind->prefix)) continue;
        // at most ten digits and nothing else
        const char *digits = field + strlen(kind->prefix);
        const size_t count = strspn(digits, "0123456789");
        if (count == 0 || count > 10 || digits[count]) continue;
        const int64_t value = strtoll(digits, NULL, 10);
        if (value < 1) return err_set(err, ERR_USAGE, "'%.40s': the number must be at least 1", field);
        int64_t *member = (int64_t *)(void *)((char *)state->params + kind->offset);
        if (*member != 0) return twice(field, err);
        if (kind->rank && kind->rank <= state->rank)
            return err_set(err, ERR_USAGE, "'%.40s' comes too late; the order is " GRAMMAR, field);
        if (kind->rank) state->rank = kind->rank;
        *member = value;
        state->has_s |= str_equal(kind->prefix, "s");
        state->has_sq |= str_equal(kind->prefix, "sq");
        state->has_sk |= str_equal(kind->prefix, "sk");
        return 0;
    }
    return err_set(err, ERR_USAGE, "'%.40s' is not a field of an attention problem; the grammar is " GRAMMAR,
                   field);
}

static int parse_dtype(const char *field, const char *name, int32_t *ret_dtype, struct err *err) {
    const int32_t dtype = dtype_parse(name);
    if (dtype != ASSAY_FP32 && dtype != ASSAY_FP16 && dtype != ASSAY_BF16 && dtype != ASSAY_FP8_E4M3)
        return err_set(err, ERR_USAGE, "'%.40s': the element type must be one of fp32, fp16, bf16, fp8_e4m3",
                       field);
    *ret_dtype = dtype;
    return 0;
}

// "scale0.125": a field of a number that need not be whole.
static int parse_real(const char *field, size_t prefix, bool *has, double *ret, struct err *err) {
    const char *number = field + prefix;
    if (*has) return twice(field, err);
    *has = true;
    if (number[strspn(number, "0123456789.eE+-")] == 0 && str_parse_double(number, ret) == 0) return 0;
    return err_set(err, ERR_USAGE, "'%.40s': the %.*s must be a number such as %.*s0.125", field, (int)prefix,
                   field, (int)prefix, field);
}

// "mask_b": a tensor of queries and keys, with those axes of its own.
static int parse_pairs(const char *field, size_t prefix, int32_t *ret_axes, struct err *err) {
    if (*ret_axes != PAIR_AXES_ABSENT) return twice(field, err);
    for (int32_t axes = PAIR_AXES_NONE; axes <= PAIR_AXES_BH; ++axes)
        if (str_equal(field + prefix, pair_suffixes[axes])) *ret_axes = axes;
    if (*ret_axes != PAIR_AXES_ABSENT) return 0;
    return err_set(err, ERR_USAGE,
                   "'%.40s': a %.*s is the same for all batch entries and heads, or one for each with _b, _h "
                   "or _bh behind it",
                   field, (int)prefix, field);
}

static int parse_flag_or_size(const char *field, struct name_parse *state, struct err *err) {
    struct attention_params *p = state->params;
    if (str_equal(field, "causal") || str_equal(field, "causal_br")) {
        if (p->causal != CAUSAL_NONE) return twice(field, err);
        p->causal = str_equal(field, "causal") ? CAUSAL_TOP_LEFT : CAUSAL_BOTTOM_RIGHT;
    } else if (str_equal(field, "bshd")) {
        if (p->is_bshd) return twice(field, err);
        p->is_bshd = true;
    } else if (str_equal(field, "qkv_packed")) {
        if (p->is_packed) return twice(field, err);
        p->is_packed = true;
    } else if (str_equal(field, "lse")) {
        if (p->has_lse) return twice(field, err);
        p->has_lse = true;
    } else if (str_starts(field, "kv_")) {
        if (state->has_kv) return twice(field, err);
        state->has_kv = true;
        return parse_dtype(field, field + 3, &p->dtype_kv, err);
    } else if (str_starts(field, "out_")) {
        if (p->dtype_out != ASSAY_DTYPE_INVALID) return twice(field, err);
        TRY(parse_dtype(field, field + strlen("out_"), &p->dtype_out, err));
        if (p->dtype_out == ASSAY_FP8_E4M3)
            return err_set(err, ERR_USAGE, "out_fp8_e4m3: an output is fp32, fp16 or bf16");
    } else if (str_starts(field, "mask")) {
        return parse_pairs(field, strlen("mask"), &p->mask, err);
    } else if (str_starts(field, "bias")) {
        return parse_pairs(field, strlen("bias"), &p->bias, err);
    } else if (str_starts(field, "scale")) {
        return parse_real(field, strlen("scale"), &state->has_scale, &p->scale, err);
    } else if (str_starts(field, "softcap")) {
        TRY(parse_real(field, strlen("softcap"), &state->has_softcap, &p->softcap, err));
        if (p->softcap == 0) return err_set(err, ERR_USAGE, "softcap0 is no cap: leave the field out");
    } else {
        return parse_size(field, state, err);
    }
    return 0;
}

int attention_parse(const struct operator_def *op, const char *const *fields, size_t field_count,
                    void *params, struct err *err) {
    (void)op;
    struct attention_params *p = params;
    struct name_parse state = {.params = p};
    if (field_count == 0)
        return err_set(err, ERR_USAGE, "nothing after the operator; the grammar is " GRAMMAR);
    TRY(parse_dtype(fields[0], fields[0], &p->dtype_q, err));
    for (size_t i = 1; i < field_count; ++i) TRY(parse_flag_or_size(fields[i], &state, err));
    if (state.has_s && (state.has_sq || state.has_sk))
        return err_set(err, ERR_USAGE, "s stands for equal sq and sk: give either s, or sq and sk");
    if (state.has_s) p->seq_k = p->seq_q;
    const char *missing = !p->batch      ? "b"
                          : !p->heads    ? "h"
                          : !p->seq_q    ? "s (or sq)"
                          : !p->seq_k    ? "sk"
                          : !p->head_dim ? "d"
                                         : NULL;
    if (missing) return err_set(err, ERR_USAGE, "field %s is missing; the grammar is " GRAMMAR, missing);
    if (!p->heads_kv) p->heads_kv = p->heads;
    if (!p->head_dim_v) p->head_dim_v = p->head_dim;
    if (!state.has_kv) p->dtype_kv = p->dtype_q;
    if (!p->dtype_out) p->dtype_out = attention_dtype_out_default(p->dtype_q);
    if (!state.has_scale) p->scale = attention_scale_default(p->head_dim);
    return attention_check(p, err);
}

// The shortest decimal that reads back to the same bits.
static void add_real(struct strbuf *out, const char *field, double value) {
    char text[40];
    const int whole = value >= 10 && value < 1e6 ? (int)floor(log10(value)) + 1 : 1; // "20", not "2e+01"
    for (int digits = whole; digits <= 17; ++digits) {
        double back;
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (str_parse_double(text, &back) == 0 && back == value) break;
    }
    strbuf_addf(out, "/%s%s", field, text);
}

void attention_format(const struct problem *problem, struct strbuf *out) {
    const struct attention_params *p = attention_params_of(problem);
    strbuf_add(out, dtype_name(p->dtype_q));
    if (p->dtype_kv != p->dtype_q) strbuf_addf(out, "/kv_%s", dtype_name(p->dtype_kv));
    strbuf_addf(out, "/b%lld/h%lld", (long long)p->batch, (long long)p->heads);
    if (p->heads_kv != p->heads) strbuf_addf(out, "/hkv%lld", (long long)p->heads_kv);
    if (p->seq_q == p->seq_k)
        strbuf_addf(out, "/s%lld", (long long)p->seq_q);
    else
        strbuf_addf(out, "/sq%lld/sk%lld", (long long)p->seq_q, (long long)p->seq_k);
    strbuf_addf(out, "/d%lld", (long long)p->head_dim);
    if (p->head_dim_v != p->head_dim) strbuf_addf(out, "/dv%lld", (long long)p->head_dim_v);
    if (p->causal == CAUSAL_TOP_LEFT) strbuf_add(out, "/causal");
    if (p->causal == CAUSAL_BOTTOM_RIGHT) strbuf_add(out, "/causal_br");
    if (p->window) strbuf_addf(out, "/window%lld", (long long)p->window);
    if (p->mask) strbuf_addf(out, "/mask%s", pair_suffixes[p->mask]);
    if (p->bias) strbuf_addf(out, "/bias%s", pair_suffixes[p->bias]);
    if (p->scale != attention_scale_default(p->head_dim)) add_real(out, "scale", p->scale);
    if (p->softcap != 0) add_real(out, "softcap", p->softcap);
    if (p->dtype_out != attention_dtype_out_default(p->dtype_q))
        strbuf_addf(out, "/out_%s", dtype_name(p->dtype_out));
    if (p->is_bshd) strbuf_add(out, "/bshd");
    if (p->is_packed) strbuf_add(out, "/qkv_packed");
    if (p->has_lse) strbuf_add(out, "/lse");
}
