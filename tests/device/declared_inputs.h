// SPDX-License-Identifier: Apache-2.0
//
// Operators whose inputs are of one type and of every family that fills it, for comparing a device's fills
// with the host's (tests/unit/test_device_declared.c, device_check.c).
#ifndef TESTS_DEVICE_DECLARED_INPUTS_H
#define TESTS_DEVICE_DECLARED_INPUTS_H

#include "base/strbuf.h"
#include "op/declared/declared.h"
#include "op/declared/tensor_spec.h"
#include "op/dtype.h"

// Arguments besides the defaults; every family is in a name of its own.
static const char *declared_inputs_arguments(enum fill_family family) {
    switch (family) {
    case FILL_NORMAL: return "(1, 0.1)";
    case FILL_UNIFORM: return "(-2, 3)";
    case FILL_CONSTANT: return "(3)";
    case FILL_BELOW: return "(columns)";
    case FILL_UNIQUE: return "(rows * columns + 3)";
    case FILL_LENGTHS: return "(50)";
    case FILL_INDPTR: return "(9 * rows)";
    case FILL_MASK: return "(0.3)";
    default: return "";
    }
}

// In the arena.
static const struct operator_def *declared_inputs_of(struct arena *arena, int32_t dtype) {
    static const struct declared_axis axes[] = {{"rows", "13"}, {"columns", "37"}};
    struct declared_tensor *tensors = arena_array(arena, FILL_FAMILY_COUNT + 1, sizeof *tensors);
    struct declared *declared = arena_alloc(arena, sizeof *declared);
    const struct operator_def *op;
    struct tensor_spec spec;
    size_t count = 0;
    for (int i = FILL_NONE + 1; i < FILL_FAMILY_COUNT; ++i) {
        const enum fill_family family = (enum fill_family)i;
        const char *name = fill_family_name(family);
        const char *text = arena_format(arena, "%s[rows, columns] %s%s", dtype_name(dtype), name,
                                        declared_inputs_arguments(family));
        if (family == FILL_MADE || tensor_spec_parse(arena, text, ASSAY_IN, &spec, NULL) < 0) continue;
        tensors[count++] = (struct declared_tensor){arena_format(arena, "of_%s", name), text, ASSAY_IN};
    }
    tensors[count++] = (struct declared_tensor){"y", "fp32[rows]", ASSAY_OUT};
    *declared = (struct declared){.name = "inputs",
                                  .axes = axes,
                                  .axis_count = sizeof axes / sizeof *axes,
                                  .tensors = tensors,
                                  .tensor_count = count};
    return declared_make(arena, declared, &op, NULL) < 0 ? NULL : op;
}

#endif
