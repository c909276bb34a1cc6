// SPDX-License-Identifier: Apache-2.0
//
// Inputs of declared operators. Every element is a function of the seed, the tensor's name and the element's
// index alone (of its row, where rows sum to 1): any part of a tensor can be filled, in any order.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "op/declared/declared_internal.h"
#include "op/declared/made_inputs.h"
#include "op/dtype.h"
#include "op/random_normal.h"
#include "op/seed_stream.h"

#define LARGE_FACTOR   100.0
#define SMALL_FACTOR   1e-4
#define OUTLIER_SHARE  0.001
#define EXACT_MOST     4
#define FEISTEL_ROUNDS 4

struct fill {
    enum fill_family family;
    double arguments[FILL_ARGUMENTS_MAX];
    uint64_t count; // elements of the tensor
    struct normal_source normals;
    struct dev_random words, more_words; // two streams
    uint64_t longest;                    // of lengths: the element that is it
    uint32_t half_bits;                  // of unique: a number has twice as many
    uint64_t keys[FEISTEL_ROUNDS];
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

// ---- numbers below n, none twice ----

// A keyed permutation of the numbers of an even count of bits, walked until it falls below n (Black and
// Rogaway 2002, "Ciphers with Arbitrary Finite Domains"). The rounds mix and hide nothing: their keys come
// from the cipher's words, from which nobody computes the seed.
static uint64_t mix(uint64_t value, uint64_t key) {
    value = (value ^ key) * UINT64_C(0x9e3779b97f4a7c15);
    value = (value ^ value >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return value ^ value >> 32;
}

static uint64_t permute(const struct fill *fill, uint64_t index, uint64_t n) {
    const uint64_t mask = (UINT64_C(1) << fill->half_bits) - 1;
    do {
        uint64_t left = index >> fill->half_bits, right = index & mask;
        for (int i = 0; i < FEISTEL_ROUNDS; ++i) {
            const uint64_t next = left ^ (mix(right, fill->keys[i]) & mask);
            left = right, right = next;
        }
        index = left << fill->half_bits | right;
    } while (index >= n);
    return index;
}

// ---- single elements ----

static double below(struct fill *fill, uint64_t index, double n) {
    return floor(dev_random_uniform(&fill->words, index) * n);
}

// Of count - 1 segments that are total long together: the borders lie at equal distances, each moved by less
// than half of one.
static double indptr(struct fill *fill, uint64_t index, double total) {
    if (index == 0) return 0;
    if (index == fill->count - 1) return total;
    const double place = (double)index + dev_random_uniform(&fill->words, index) - 0.5;
    return fmin(floor(total * place / (double)(fill->count - 1)), total);
}

static double element(struct fill *fill, uint64_t index) {
    const double first = fill->arguments[0], second = fill->arguments[1];
    switch (fill->family) {
    case FILL_UNIFORM:
    case FILL_POSITIVE: return first + (second - first) * dev_random_uniform(&fill->words, index);
    case FILL_PROBS: return -log1p(-dev_random_uniform(&fill->words, index)); // then divided by the row's sum
    case FILL_EXACT: return below(fill, index, 2 * EXACT_MOST + 1) - EXACT_MOST;
    case FILL_ONES: return 1;
    case FILL_CONSTANT: return first;
    case FILL_RANGE: return (double)index;
    case FILL_BELOW: return below(fill, index, first);
    case FILL_UNIQUE: return (double)permute(fill, index, (uint64_t)first);
    case FILL_LENGTHS: return index == fill->longest ? first : 1 + below(fill, index, first);
    case FILL_INDPTR: return indptr(fill, index, first);
    case FILL_MASK: return dev_random_uniform(&fill->words, index) < first;
    default: return 0;
    }
}

static bool is_normal(enum fill_family family) {
    return family == FILL_NORMAL || family == FILL_OUTLIERS || family == FILL_LARGE || family == FILL_SMALL;
}

static double scale_of(struct fill *fill, uint64_t index) {
    switch (fill->family) {
    case FILL_NORMAL: return fill->arguments[1];
    case FILL_LARGE: return LARGE_FACTOR;
    case FILL_SMALL: return SMALL_FACTOR;
    default: return dev_random_uniform(&fill->more_words, index) < OUTLIER_SHARE ? LARGE_FACTOR : 1;
    }
}

// ---- rows ----

static void fill_values(struct fill *fill, uint64_t first, size_t count, double *values) {
    if (is_normal(fill->family)) {
        const double mean = fill->family == FILL_NORMAL ? fill->arguments[0] : 0;
        normal_row(&fill->normals, first, count, values);
        for (size_t i = 0; i < count; ++i) values[i] = mean + scale_of(fill, first + i) * values[i];
        return;
    }
    for (size_t i = 0; i < count; ++i) values[i] = element(fill, first + i);
    if (fill->family != FILL_PROBS) return;
    double sum = 0;
    for (size_t i = 0; i < count; ++i) sum += values[i];
    for (size_t i = 0; i < count; ++i) values[i] = sum > 0 ? values[i] / sum : 1 / (double)count;
}

// All bits of integers, which a double need not hold; the one of bool.
static void fill_bits(struct fill *fill, int32_t dtype, uint64_t first, size_t count, char *row) {
    const uint64_t mask = dtype == ASSAY_BOOL ? 1 : UINT64_MAX;
    const size_t bytes = dtype_bytes(dtype);
    for (size_t i = 0; i < count; ++i) {
        const uint64_t word = dev_random_u64(&fill->words, first + i) & mask;
        memcpy(row + i * bytes, &word, bytes); // little-endian, as kernels are
    }
}

static void fill_row(struct fill *fill, const struct assay_tensor *tensor, uint64_t first, size_t count,
                     double *values) {
    char *row = tensor_element_at(tensor, first);
    if (fill->family == FILL_BITS) {
        fill_bits(fill, tensor->dtype, first, count, row);
        return;
    }
    fill_values(fill, first, count, values);
    dtype_store_row(tensor->dtype, row, count, values);
}

static void prepare(struct fill *fill, uint64_t seed, const char *name, uint64_t count) {
    fill->count = count;
    normal_source_init(&fill->normals, seed, seed_stream(name));
    fill->words = dev_random_make(seed, seed_stream(name));
    struct dev_random keys = dev_random_make(seed_child(seed, name, 0), seed_stream("keys"));
    fill->more_words = dev_random_make(seed_child(seed, name, 1), seed_stream("outliers"));
    fill->longest = (uint64_t)(dev_random_uniform(&keys, 0) * (double)count);
    if (fill->family != FILL_UNIQUE) return;
    for (int i = 0; i < FEISTEL_ROUNDS; ++i) fill->keys[i] = dev_random_u64(&keys, 1 + (uint64_t)i);
    for (fill->half_bits = 1; UINT64_C(1) << 2 * fill->half_bits < (uint64_t)fill->arguments[0];)
        ++fill->half_bits;
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

int declared_fill(const struct problem *problem, const char *distribution, uint64_t seed,
                  uint32_t tensor_index, const struct assay_tensor *tensor, struct err *err) {
    const struct declared_operator *op = declared_operator_of(problem->op);
    const struct tensor_spec *spec = &op->specs[tensor_index];
    const uint64_t count = tensor_element_count(tensor);
    const size_t row = (size_t)tensor_row_length(tensor);
    struct fill fill = {.family = family_of(spec, distribution)};
    struct tensor_spec filled = *spec;
    if (fill.family == FILL_MADE) return copy_made(problem, seed, tensor_index, tensor, err);
    if (fill.family != spec->family) filled.argument_count = 0;
    filled.family = fill.family;
    TRY(arguments_of(problem, &filled, tensor, fill.arguments, err));
    prepare(&fill, seed, tensor->name, count);
    double *values = mem_try_scratch(row, sizeof *values);
    if (!values)
        return err_set(err, ERR_UNAVAILABLE, "no memory to fill '%s' of %s", tensor->name, problem->name);
    for (uint64_t first = 0; first < count; first += row) fill_row(&fill, tensor, first, row, values);
    free(values);
    return 0;
}
