// SPDX-License-Identifier: Apache-2.0
//
// Inputs of declared operators. Every element is a function of the seed, the tensor's name and the element's
// index alone (of its row, where rows sum to 1): any part of a tensor can be filled, in any order.
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "op/clones.h"
#include "op/declared/declared_internal.h"
#include "op/declared/device_declared_core.h"
#include "op/declared/made_inputs.h"
#include "op/dtype.h"
#include "op/random_normal.h"
#include "op/seed_stream.h"

// What fills one tensor on the host.
struct fill {
    struct dev_declared_fill args;
    struct dev_declared_source source;
    struct normal_source normals;
};

// What a problem can be given besides what its tensors declare: families of all floating-point inputs that
// name none of their own.
const char *const declared_distributions[] = {"uniform", "large", "small",    "zeros",
                                              "ones",    "exact", "outliers", NULL};

static enum fill_family family_of(const struct tensor_spec *spec, const char *distribution) {
    if (spec->is_named || dtype_is_integer(spec->dtype)) return spec->family;
    for (int i = FILL_NONE + 1; i < FILL_FAMILY_COUNT; ++i)
        if (str_equal(fill_family_name((enum fill_family)i), distribution)) return (enum fill_family)i;
    return spec->family;
}

// ---- rows ----

static void fill_shares(struct fill *fill, uint64_t first, size_t count, double *values) {
    double sum = 0;
    for (size_t i = 0; i < count; ++i) sum += values[i] = dev_declared_weight(&fill->source, first + i);
    for (size_t i = 0; i < count; ++i) values[i] = dev_declared_share(values[i], sum, count);
}

HOT_CLONES static void scale_values(double mean, double scale, size_t count, double *values) {
    for (size_t i = 0; i < count; ++i) values[i] = mean + scale * values[i];
}

static void fill_values(struct fill *fill, uint64_t first, size_t count, double *values) {
    if (fill->args.family == FILL_PROBS) {
        fill_shares(fill, first, count, values);
        return;
    }
    if (dev_declared_is_normal(fill->args.family)) {
        normal_row(&fill->normals, first, count, values);
        if (fill->args.family != FILL_OUTLIERS) { // which scales elements, not tensors
            scale_values(dev_declared_mean(&fill->args),
                         dev_declared_scale(&fill->args, &fill->source, first), count, values);
            return;
        }
        for (size_t i = 0; i < count; ++i)
            values[i] = dev_declared_normal(&fill->args, &fill->source, first + i, values[i]);
        return;
    }
    for (size_t i = 0; i < count; ++i)
        values[i] = dev_declared_element(&fill->args, &fill->source, first + i);
}

static void fill_bits(struct fill *fill, uint64_t first, size_t count, char *row) {
    const size_t bytes = dtype_bytes(fill->args.dtype);
    for (size_t i = 0; i < count; ++i) {
        const uint64_t word = dev_declared_bits(&fill->args, &fill->source, first + i);
        memcpy(row + i * bytes, &word, bytes); // little-endian, as kernels are
    }
}

static void fill_row(struct fill *fill, const struct assay_tensor *tensor, uint64_t first, size_t count,
                     double *values) {
    char *row = tensor_element_at(tensor, first);
    if (fill->args.family == FILL_BITS) {
        fill_bits(fill, first, count, row);
        return;
    }
    fill_values(fill, first, count, values);
    dtype_store_row(tensor->dtype, row, count, values);
}

// ---- tensors ----

static void draw_keys(uint64_t seed, const char *name, struct dev_declared_fill *ret) {
    struct dev_random keys = dev_random_make(seed_child(seed, name, 0), seed_stream("keys"));
    ret->longest = (uint64_t)(dev_random_uniform(&keys, 0) * (double)ret->count);
    if (ret->family != FILL_UNIQUE) return;
    for (int i = 0; i < DEV_FEISTEL_ROUNDS; ++i) ret->keys[i] = dev_random_u64(&keys, 1 + (uint64_t)i);
    for (ret->half_bits = 1; UINT64_C(1) << 2 * ret->half_bits < (uint64_t)ret->arguments[0];)
        ++ret->half_bits;
}

// The numbers in place of the arguments, of what fills a tensor of so many elements.
static int arguments_of(const struct problem *problem, const struct tensor_spec *spec,
                        const struct assay_tensor *tensor, double ret[FILL_ARGUMENTS_MAX], struct err *err) {
    const struct declared *declared = declared_operator_of(problem->op)->declared;
    const struct declared_values axes = {declared, declared_params_of(problem)->axes, declared->axis_count};
    const struct expression_scope scope = declared_scope(&axes);
    const uint64_t count = tensor_element_count(tensor);
    TRY(tensor_spec_arguments(spec, &scope, ret, err));
    if (spec->family != FILL_UNIQUE || (double)count <= ret[0]) return 0;
    return err_set(err, ERR_USAGE, "%s: tensor '%s' has %llu elements, and %.0f numbers differ at most",
                   problem->name, tensor->name, (unsigned long long)count, ret[0]);
}

bool declared_can_fill(const struct problem *problem) {
    const struct declared_operator *op = declared_operator_of(problem->op);
    struct problem_abi abi;
    double arguments[FILL_ARGUMENTS_MAX];
    problem_describe(problem, MEMORY_LAYOUT_DENSE, &abi);
    for (uint32_t i = 0; i < abi.tensor_count; ++i)
        if (arguments_of(problem, &op->specs[i], &abi.tensors[i], arguments, NULL) < 0) return false;
    return true;
}

static int copy_made(const struct problem *problem, uint64_t seed, uint32_t tensor_index,
                     const struct assay_tensor *tensor, struct err *err) {
    const struct made_inputs *made = made_inputs_find(problem);
    const size_t row = (size_t)tensor_row_length(tensor), bytes = dtype_bytes(tensor->dtype);
    const uint64_t count = tensor_element_count(tensor);
    if (!made)
        return err_set(err, ERR_INTERNAL, "nothing was made for '%s' of %s", tensor->name, problem->name);
    const char *dense = made_inputs_tensor(made, made_inputs_set(made, seed), tensor_index);
    for (uint64_t first = 0; first < count; first += row)
        memcpy(tensor_element_at(tensor, first), dense + first * bytes, row * bytes);
    return 0;
}

int declared_fill_prepare(const struct problem *problem, const char *distribution, uint64_t seed,
                          const struct assay_tensor *tensor, struct dev_declared_fill *ret, struct err *err) {
    const struct declared_operator *op = declared_operator_of(problem->op);
    const struct tensor_spec *spec = op->specs;
    while (!str_equal(op->declared->tensors[spec - op->specs].name, tensor->name)) ++spec;
    struct tensor_spec filled = *spec;
    filled.family = family_of(spec, distribution);
    if (filled.family != spec->family) filled.argument_count = 0;
    *ret = (struct dev_declared_fill){.data = tensor->data,
                                      .count = tensor_element_count(tensor),
                                      .seed = seed,
                                      .stream = seed_stream(tensor->name),
                                      .more_seed = seed_child(seed, tensor->name, 1),
                                      .more_stream = seed_stream("outliers"),
                                      .dim_count = tensor->dim_count,
                                      .dtype = tensor->dtype,
                                      .family = (int32_t)filled.family};
    memcpy(ret->shape, tensor->shape, sizeof ret->shape);
    memcpy(ret->stride, tensor->stride, sizeof ret->stride);
    if (filled.family == FILL_MADE) return 0;
    TRY(arguments_of(problem, &filled, tensor, ret->arguments, err));
    draw_keys(seed, tensor->name, ret);
    return 0;
}

int declared_fill(const struct problem *problem, const char *distribution, uint64_t seed,
                  uint32_t tensor_index, const struct assay_tensor *tensor, struct err *err) {
    const size_t row = (size_t)tensor_row_length(tensor);
    struct fill fill;
    TRY(declared_fill_prepare(problem, distribution, seed, tensor, &fill.args, err));
    if (fill.args.family == FILL_MADE) return copy_made(problem, seed, tensor_index, tensor, err);
    fill.source = dev_declared_source_make(&fill.args);
    normal_source_init(&fill.normals, seed, fill.args.stream);
    double *values = mem_try_scratch(row, sizeof *values);
    if (!values)
        return err_set(err, ERR_UNAVAILABLE, "no memory to fill '%s' of %s", tensor->name, problem->name);
    for (uint64_t first = 0; first < fill.args.count; first += row)
        fill_row(&fill, tensor, first, row, values);
    free(values);
    return 0;
}
