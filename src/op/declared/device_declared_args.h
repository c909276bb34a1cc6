// SPDX-License-Identifier: Apache-2.0
//
// The argument of the device kernel that fills an input of a declared operator. Rules as in
// device_kernel_args.h.
#ifndef OP_DECLARED_DEVICE_DECLARED_ARGS_H
#define OP_DECLARED_DEVICE_DECLARED_ARGS_H

#include <assay/kernel.h>
#include <stdint.h>

#include "op/declared/fill_family.h"

#define DEV_FEISTEL_ROUNDS 4

// Any grid. What depends on the seed besides the words is drawn by whoever fills the struct.
struct dev_declared_fill {
    void *data;
    const double *table; // of random_normal.h
    double arguments[FILL_ARGUMENTS_MAX];
    uint64_t count; // elements, in the order of the shape
    uint64_t seed, stream;
    uint64_t more_seed, more_stream; // of outliers: which elements
    uint64_t longest;                // of lengths: the element that is it
    uint64_t keys[DEV_FEISTEL_ROUNDS];
    int64_t shape[ASSAY_MAX_DIMS], stride[ASSAY_MAX_DIMS]; // in elements
    int32_t dim_count, dtype;                              // enum assay_dtype
    int32_t family;                                        // enum fill_family
    uint32_t half_bits;                                    // of unique: a number has twice as many
};

#endif
