// SPDX-License-Identifier: Apache-2.0
//
// What is right of a declared result: tensors that its text names, and whether they fit.
#include "base/str.h"
#include "op/declared/declared_internal.h"
#include "op/dtype.h"

struct maker {
    const struct declared_operator *op;
    size_t index; // of the result
    struct err *err;
};

static const struct tensor_spec *spec_of(const struct maker *maker, int32_t tensor) {
    return &maker->op->specs[tensor < 0 ? (int32_t)maker->index : tensor];
}

static const char *name_of(const struct maker *maker, int32_t tensor) {
    return maker->op->declared->tensors[tensor < 0 ? (int32_t)maker->index : tensor].name;
}

// word: "picks". other: a tensor that the sentence ends with, as "'x' WHAT".
static int refuse(const struct maker *maker, const char *word, int32_t other, const char *what) {
    return err_set(maker->err, ERR_CONFIG, "tensor '%s': %s: '%s' %s", name_of(maker, -1), word,
                   name_of(maker, other), what);
}

// name NULL: -1.
static int find(const struct maker *maker, const char *word, const char *name, int32_t *ret) {
    const struct declared *declared = maker->op->declared;
    const char *names[OP_TENSORS_MAX];
    *ret = -1;
    if (!name) return 0;
    for (size_t i = 0; i < declared->tensor_count; ++i) {
        names[i] = declared->tensors[i].name;
        if (str_equal(names[i], name)) *ret = (int32_t)i;
    }
    if (*ret == (int32_t)maker->index) return refuse(maker, word, -1, "is the tensor itself");
    if (*ret >= 0) return 0;
    const char *nearest = str_nearest(name, names, declared->tensor_count);
    return err_set(maker->err, ERR_CONFIG, "tensor '%s': %s: there is no tensor '%s'%s%s%s",
                   name_of(maker, -1), word, str_shown(name).text, nearest ? ", did you mean '" : "",
                   str_or(nearest, ""), nearest ? "'?" : "");
}

// Whether both begin with the same sizes, as they are written: then they do so in every problem.
static bool has_same_sizes(const struct tensor_spec *a, const struct tensor_spec *b, uint32_t count) {
    for (uint32_t d = 0; d < count; ++d)
        if (!str_equal(a->sizes[d], b->sizes[d])) return false;
    return true;
}

static int make_picks(const struct maker *maker, struct declared_rule *ret) {
    const struct tensor_spec *own = spec_of(maker, -1);
    TRY(find(maker, "picks", own->picks, &ret->picks));
    TRY(find(maker, "picks", own->values, &ret->values));
    if (ret->picks < 0) return 0;
    const struct tensor_spec *from = spec_of(maker, ret->picks), *values = spec_of(maker, ret->values);
    if (maker->op->declared->tensors[ret->picks].access == ASSAY_OUT)
        return refuse(maker, "picks", ret->picks,
                      "is computed, so that its values are rounded: name an input, of which the largest are "
                      "at the same places");
    if (from->dtype == ASSAY_FP4_E2M1X2 || !own->dim_count || own->dim_count != from->dim_count ||
        !has_same_sizes(own, from, own->dim_count - 1))
        return refuse(maker, "picks", ret->picks, "must have the same sizes but for the last one");
    if (ret->values < 0) return 0;
    if (maker->op->declared->tensors[ret->values].access == ASSAY_IN || values->dim_count != own->dim_count ||
        values->dtype == ASSAY_FP4_E2M1X2 || !has_same_sizes(own, values, own->dim_count))
        return refuse(maker, "picks", ret->values, "must be a result of the same sizes, for their values");
    return 0;
}

static int make_used(const struct maker *maker, struct declared_rule *ret) {
    const struct tensor_spec *own = spec_of(maker, -1);
    TRY(find(maker, "used", own->used, &ret->used));
    if (ret->used < 0) return 0;
    const struct tensor_spec *count = spec_of(maker, ret->used);
    if (maker->op->declared->tensors[maker->index].access != ASSAY_OUT || own->dtype == ASSAY_E8M0)
        return refuse(maker, "used", -1, "must be under outputs, of any type but e8m0");
    if (!tensor_spec_counts(count->dtype) || count->used || count->steps)
        return refuse(maker, "used", ret->used, "must be of integers, all of them used and exact");
    const bool is_one = count->dim_count == 1 && str_equal(count->sizes[0], "1");
    ret->used_axis = (int32_t)count->dim_count;
    if (count->dim_count < own->dim_count && has_same_sizes(own, count, count->dim_count)) return 0;
    ret->used_axis = 0;
    if (is_one && own->dim_count) return 0;
    return refuse(maker, "used", ret->used, "must be one number, or have the sizes of the first axes");
}

// What says how results are drawn.
static int check_random(const struct declared_operator *op, struct err *err) {
    const struct declared *declared = op->declared;
    const char *random = declared->reference.random;
    if (!random) return 0;
    if (!declared->reference.accept)
        return err_set(err, ERR_CONFIG,
                       "'random' needs a function 'accept', which says whether what was drawn is right");
    for (size_t i = 0; i < declared->tensor_count; ++i)
        if (str_equal(declared->tensors[i].name, random) && declared->tensors[i].access == ASSAY_IN &&
            op->specs[i].family != FILL_MADE)
            return 0;
    if (str_equal(random, DECLARED_DRAWN)) return 0;
    return err_set(err, ERR_CONFIG,
                   "'random' is '%s', which is no input that assay fills; write True, or the name of the "
                   "input that is the seed: \"seed\": 'int64[1] bits'",
                   str_shown(random).text);
}

int declared_make_rules(struct arena *arena, const struct declared_operator *op,
                        const struct declared_rule **ret, struct err *err) {
    struct declared_rule *rules = arena_array(arena, op->declared->tensor_count, sizeof *rules);
    *ret = rules;
    TRY(check_random(op, err));
    for (size_t i = 0; i < op->declared->tensor_count; ++i) {
        const struct maker maker = {op, i, err};
        const int32_t dtype = op->specs[i].dtype;
        const bool is_fp8 = dtype == ASSAY_FP8_E4M3 || dtype == ASSAY_FP8_E5M2;
        rules[i] = (struct declared_rule){
            .steps = op->specs[i].steps, .share = op->specs[i].share, .picks = -1, .values = -1, .used = -1};
        if (op->declared->tensors[i].access == ASSAY_IN) continue;
        rules[i].is_accepted = op->declared->reference.accept;
        if (rules[i].is_accepted && (rules[i].steps || op->specs[i].picks))
            return err_set(err, ERR_CONFIG,
                           "tensor '%s': '%s' does not go with a function 'accept', which decides alone",
                           name_of(&maker, -1), rules[i].steps ? "steps" : "picks");
        if (is_fp8 && !rules[i].is_accepted && !rules[i].steps)
            rules[i].steps = 1, rules[i].share = STEPS_SHARE;
        TRY(make_picks(&maker, &rules[i]));
        TRY(make_used(&maker, &rules[i]));
    }
    return 0;
}
