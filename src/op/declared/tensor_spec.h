// SPDX-License-Identifier: Apache-2.0
//
// The text of a declared tensor: "bf16[rows, hidden] normal(1, 0.1)", "int32[batch + 1] indptr(pages)". Of
// what a kernel writes it may say what is right: "int32[rows, k] picks(x, values)", "int8[rows] steps(1)".
#ifndef OP_DECLARED_TENSOR_SPEC_H
#define OP_DECLARED_TENSOR_SPEC_H

#include <assay/kernel.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/expression.h"
#include "op/declared/fill_family.h"

#define TENSOR_SPEC_EXAMPLE "bf16[rows, hidden] normal(1, 0.1)"
#define RESULT_SPEC_EXAMPLE "int32[rows, k] picks(x)"
#define STEPS_MOST          16
#define STEPS_SHARE         0.001 // of elements that may be off, where nothing is said
#define STEPS_SHARE_MOST    0.1

struct tensor_spec {
    int32_t dtype;
    uint32_t dim_count;
    const char *sizes[ASSAY_MAX_DIMS]; // expressions
    enum fill_family family;
    bool is_named;   // the text names the family
    bool is_ignored; // results need not depend on it
    size_t argument_count;
    const char *arguments[FILL_ARGUMENTS_MAX]; // numbers, or of integers expressions
    // What is right of a result; NULL and 0: not said. Names are of tensors (op/declared/declared.h).
    const char *picks, *values, *used;
    uint32_t steps;
    double share; // that may be steps off
};

// Reads a text; copies what it keeps into the arena. Whether names of axes and tensors exist is not looked
// at. access: enum assay_access. ERR_CONFIG with the text.
int tensor_spec_parse(struct arena *arena, const char *text, int32_t access, struct tensor_spec *ret,
                      struct err *err);
// The same text with another floating-point type, of results in steps too, which a reference does not round:
// "int8[rows] steps(1)" becomes "fp64[rows]". Other integers stay. The text was checked.
const char *tensor_spec_with_floats(struct arena *arena, const char *text, int32_t dtype);
// Its type and shape alone.
const char *tensor_spec_bare(struct arena *arena, const char *text);
// Of a problem's axes: the numbers in place of the arguments, defaults where there are none. ERR_CONFIG: a
// name that is none, a value that the family does not take.
int tensor_spec_arguments(const struct tensor_spec *spec, const struct expression_scope *scope,
                          double ret[FILL_ARGUMENTS_MAX], struct err *err);
// Whether numbers of that type can count elements, or name one.
bool tensor_spec_counts(int32_t dtype);
const char *fill_family_name(enum fill_family family);

#endif
