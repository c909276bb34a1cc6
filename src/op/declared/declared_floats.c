// SPDX-License-Identifier: Apache-2.0
//
// A declaration with other floating-point types: what a reference computes with.
#include <stdio.h>
#include <string.h>

#include "op/declared/declared.h"
#include "op/dtype.h"

// "bf16[rows] normal(0, 2)" becomes "fp64[rows] normal(0, 2)"; integers stay. The text was checked.
static const char *with_float(struct arena *arena, const char *spec, int32_t dtype) {
    const char *const shape = strchr(spec, '['), *name = spec + strspn(spec, " ");
    char type[16];
    snprintf(type, sizeof type, "%.*s", (int)strcspn(name, " ["), name);
    if (!shape || dtype_is_integer(dtype_parse(type))) return spec;
    return arena_format(arena, "%s%s", dtype_name(dtype), shape);
}

void declared_with_floats(struct arena *arena, const struct declared *from, int32_t dtype,
                          struct declared *ret) {
    struct declared_tensor *tensors = arena_array(arena, from->tensor_count, sizeof *tensors);
    *ret = *from;
    for (size_t i = 0; i < from->tensor_count; ++i) {
        tensors[i] = from->tensors[i];
        tensors[i].spec = with_float(arena, from->tensors[i].spec, dtype);
    }
    ret->tensors = tensors;
}
