// SPDX-License-Identifier: Apache-2.0
//
// A declaration with other floating-point types: what a reference computes with.
#include "op/declared/declared.h"
#include "op/declared/tensor_spec.h"

void declared_with_floats(struct arena *arena, const struct declared *from, int32_t dtype,
                          struct declared *ret) {
    struct declared_tensor *tensors = arena_array(arena, from->tensor_count, sizeof *tensors);
    *ret = *from;
    for (size_t i = 0; i < from->tensor_count; ++i) {
        tensors[i] = from->tensors[i];
        tensors[i].spec = tensor_spec_with_floats(arena, from->tensors[i].spec, dtype);
    }
    ret->tensors = tensors;
}
