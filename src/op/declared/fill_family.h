// SPDX-License-Identifier: Apache-2.0
//
// How an input of a declared operator is filled: what its text names (op/declared/tensor_spec.h). Read by
// nvcc, too.
#ifndef OP_DECLARED_FILL_FAMILY_H
#define OP_DECLARED_FILL_FAMILY_H

#define FILL_ARGUMENTS_MAX 2

// Of floating-point types normal is the default, of integers range, of bool mask, of fp4_e2m1x2 bits.
enum fill_family {
    FILL_NONE = 0, // an output
    FILL_NORMAL,   // normal(mean, standard deviation): 0, 1
    FILL_UNIFORM,  // uniform(low, high): -1, 1; both are included
    FILL_POSITIVE, // the same: 0.5, 2
    FILL_PROBS,    // positive rows that sum to 1
    FILL_OUTLIERS, // normal, one in 1000 is 100 times as large
    FILL_LARGE,    // normal, 100 times as large
    FILL_SMALL,    // normal, 1e-4 times as large
    FILL_EXACT,    // whole numbers from -4 to 4: sums of them are exact
    FILL_ZEROS,
    FILL_ONES,
    FILL_CONSTANT, // constant(v)
    FILL_RANGE,    // integers: 0, 1, 2, ...
    FILL_BELOW,    // integers: below(n): from 0 to n - 1, each as likely
    FILL_UNIQUE,   // integers: unique(n): the same, none twice in the tensor
    FILL_LENGTHS,  // integers: lengths(max): from 1 to max, one is max
    FILL_INDPTR,   // integers: indptr(total): does not fall, begins with 0, ends with total
    FILL_MASK,     // mask(share): 1 in this share of the elements, else 0
    FILL_BITS,     // integers: every bit as likely
    FILL_MADE,     // by `inputs` of the operator's Python file (op/declared/made_inputs.h)
    FILL_FAMILY_COUNT
};

#endif
