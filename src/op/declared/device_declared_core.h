// SPDX-License-Identifier: Apache-2.0
//
// Elements of the inputs of declared operators, once for nvcc (device_declared.cuh) and for C, where the host
// fills with them (declared_fill.c). Rules as in device_kernel_core.h.
#ifndef OP_DECLARED_DEVICE_DECLARED_CORE_H
#define OP_DECLARED_DEVICE_DECLARED_CORE_H

#include "device/device_random.h"
#include "op/declared/device_declared_args.h"

#define DEV_LARGE_FACTOR  100.0
#define DEV_SMALL_FACTOR  1e-4
#define DEV_OUTLIER_SHARE 0.001
#define DEV_EXACT_MOST    4

struct dev_declared_source {
    struct dev_random words, more_words; // two streams
};

DEV_FN struct dev_declared_source dev_declared_source_make(const struct dev_declared_fill *args) {
    struct dev_declared_source ret;
    ret.words = dev_random_make(args->seed, args->stream);
    ret.more_words = dev_random_make(args->more_seed, args->more_stream);
    return ret;
}

// ---- numbers below n, none twice ----

// A keyed permutation of the numbers of an even count of bits, walked until it falls below n (Black and
// Rogaway 2002, "Ciphers with Arbitrary Finite Domains"). The rounds mix and hide nothing: their keys come
// from the cipher's words, from which nobody computes the seed.
DEV_FN uint64_t dev_declared_mix(uint64_t value, uint64_t key) {
    value = (value ^ key) * UINT64_C(0x9e3779b97f4a7c15);
    value = (value ^ value >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return value ^ value >> 32;
}

DEV_FN uint64_t dev_declared_permute(const struct dev_declared_fill *args, uint64_t index, uint64_t n) {
    const uint64_t mask = (UINT64_C(1) << args->half_bits) - 1;
    do {
        uint64_t left = index >> args->half_bits, right = index & mask;
        for (int i = 0; i < DEV_FEISTEL_ROUNDS; ++i) {
            const uint64_t next = left ^ (dev_declared_mix(right, args->keys[i]) & mask);
            left = right, right = next;
        }
        index = left << args->half_bits | right;
    } while (index >= n);
    return index;
}

// ---- single elements ----

// Of count - 1 segments that are total long together: the borders lie at equal distances, each moved by less
// than half of one.
DEV_FN double dev_declared_indptr(const struct dev_declared_fill *args, uint64_t index, double uniform) {
    const double total = args->arguments[0];
    if (index == 0) return 0;
    if (index == args->count - 1) return total;
    const double place = (double)index + uniform - 0.5;
    return fmin(floor(total * place / (double)(args->count - 1)), total);
}

// Of families of which every element stands for itself, and is no normal deviate.
DEV_FN double dev_declared_element(const struct dev_declared_fill *args, struct dev_declared_source *source,
                                   uint64_t index) {
    const double first = args->arguments[0], second = args->arguments[1];
    switch (args->family) {
    case FILL_ONES: return 1;
    case FILL_CONSTANT: return first;
    case FILL_RANGE: return (double)index;
    case FILL_UNIQUE: return (double)dev_declared_permute(args, index, (uint64_t)first);
    case FILL_ZEROS: return 0;
    default: break;
    }
    const double uniform = dev_random_uniform(&source->words, index);
    switch (args->family) {
    case FILL_UNIFORM:
    case FILL_POSITIVE: return first + (second - first) * uniform;
    case FILL_EXACT: return floor(uniform * (2 * DEV_EXACT_MOST + 1)) - DEV_EXACT_MOST;
    case FILL_BELOW: return floor(uniform * first);
    case FILL_LENGTHS: return index == args->longest ? first : 1 + floor(uniform * first);
    case FILL_INDPTR: return dev_declared_indptr(args, index, uniform);
    case FILL_MASK: return uniform < first;
    default: return 0;
    }
}

DEV_FN int dev_declared_is_normal(int32_t family) {
    return family == FILL_NORMAL || family == FILL_OUTLIERS || family == FILL_LARGE || family == FILL_SMALL;
}

DEV_FN double dev_declared_scale(const struct dev_declared_fill *args, struct dev_declared_source *source,
                                 uint64_t index) {
    switch (args->family) {
    case FILL_NORMAL: return args->arguments[1];
    case FILL_LARGE: return DEV_LARGE_FACTOR;
    case FILL_SMALL: return DEV_SMALL_FACTOR;
    default: return dev_random_uniform(&source->more_words, index) < DEV_OUTLIER_SHARE ? DEV_LARGE_FACTOR : 1;
    }
}

DEV_FN double dev_declared_mean(const struct dev_declared_fill *args) {
    return args->family == FILL_NORMAL ? args->arguments[0] : 0;
}

DEV_FN double dev_declared_normal(const struct dev_declared_fill *args, struct dev_declared_source *source,
                                  uint64_t index, double deviate) {
    return dev_declared_mean(args) + dev_declared_scale(args, source, index) * deviate;
}

// All bits of integers, which a double need not hold; the one of bool.
DEV_FN uint64_t dev_declared_bits(const struct dev_declared_fill *args, struct dev_declared_source *source,
                                  uint64_t index) {
    return dev_random_u64(&source->words, index) & (args->dtype == ASSAY_BOOL ? 1 : UINT64_MAX);
}

// ---- rows that sum to 1 ----

#define DEV_SQRT_HALF   0.70710678118654752440
#define DEV_ATANH_TERMS 7

// -log(value), (0, 1], within 1e-11: no library's logarithm, of which the host's and the device's differ in
// their last bits. Halves are taken out, and log(v) = 2 atanh((v - 1) / (v + 1)).
DEV_FN double dev_minus_log(double value) {
    double halvings = 0, sum = 0;
    for (; value < DEV_SQRT_HALF; ++halvings) value *= 2;
    const double s = (value - 1) / (value + 1);
    for (int k = DEV_ATANH_TERMS - 1; k >= 0; --k) sum = sum * s * s + 1.0 / (2 * k + 1);
    return halvings * DEV_LN2 - 2 * s * sum;
}

// An exponential deviate: divided by the sum of its row, uniform among all such rows (Devroye 1986,
// "Non-Uniform Random Variate Generation", V.2).
DEV_FN double dev_declared_weight(struct dev_declared_source *source, uint64_t index) {
    return dev_minus_log(1 - dev_random_uniform(&source->words, index));
}

DEV_FN double dev_declared_share(double weight, double sum, uint64_t length) {
    return sum > 0 ? weight / sum : 1 / (double)length;
}

DEV_FN uint64_t dev_declared_row_length(const struct dev_declared_fill *args) {
    return args->dim_count ? (uint64_t)args->shape[args->dim_count - 1] : 1;
}

// ---- tensors ----

// Of an element by its place in the order of the shape.
DEV_FN int64_t dev_declared_offset(const struct dev_declared_fill *args, uint64_t index) {
    int64_t ret = 0;
    for (int32_t d = args->dim_count - 1; d >= 0; --d) {
        const uint64_t size = (uint64_t)args->shape[d], rest = index / size;
        ret += (int64_t)(index - rest * size) * args->stride[d];
        index = rest;
    }
    return ret;
}

// Each weight is drawn twice: rows are short, or few.
DEV_FN void dev_declared_fill_row(const struct dev_declared_fill *args, uint64_t number) {
    const uint64_t length = dev_declared_row_length(args), first = number * length;
    struct dev_declared_source source = dev_declared_source_make(args);
    double sum = 0;
    for (uint64_t i = first; i < first + length; ++i) sum += dev_declared_weight(&source, i);
    for (uint64_t i = first; i < first + length; ++i)
        dev_store(args->dtype, args->data, dev_declared_offset(args, i),
                  dev_declared_share(dev_declared_weight(&source, i), sum, length));
}

// Elements that block `number` of the cipher gives to a normal family.
DEV_FN void dev_declared_fill_block(const struct dev_declared_fill *args, uint64_t number) {
    const uint64_t first = number * DEV_RANDOM_WORDS, bytes = dev_dtype_bytes(args->dtype);
    struct dev_declared_source source = dev_declared_source_make(args);
    for (uint64_t i = first; i < first + DEV_RANDOM_WORDS && i < args->count; ++i) {
        const int64_t at = dev_declared_offset(args, i);
        if (args->family == FILL_BITS)
            dev_scatter((uint8_t *)args->data + (uint64_t)at * bytes, dev_declared_bits(args, &source, i),
                        bytes);
        else if (dev_declared_is_normal(args->family))
            dev_store(args->dtype, args->data, at,
                      dev_declared_normal(args, &source, i,
                                          dev_deviate(args->table, dev_random_word(&source.words, i))));
        else
            dev_store(args->dtype, args->data, at, dev_declared_element(args, &source, i));
    }
}

// Parts of a tensor that are filled independently of each other.
DEV_FN uint64_t dev_declared_part_count(const struct dev_declared_fill *args) {
    if (!args->count) return 0;
    if (args->family == FILL_PROBS) return args->count / dev_declared_row_length(args);
    return (args->count + DEV_RANDOM_WORDS - 1) / DEV_RANDOM_WORDS;
}

DEV_FN void dev_declared_fill_part(const struct dev_declared_fill *args, uint64_t number) {
    if (args->family == FILL_PROBS)
        dev_declared_fill_row(args, number);
    else
        dev_declared_fill_block(args, number);
}

#endif
