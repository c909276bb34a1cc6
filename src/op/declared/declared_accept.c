// SPDX-License-Identifier: Apache-2.0
//
// A declaration's functions in Python as kernels: their names, and what `accept` takes.
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "op/declared/declared.h"
#include "op/declared/tensor_spec.h"

// "int32[rows]" with an axis before the others.
static const char *with_launches(struct arena *arena, const char *spec) {
    const char *sizes = strchr(spec, '[') + 1;
    return arena_format(arena, "%.*s%d%s%s", (int)(sizes - spec), spec, DECLARED_SAMPLES,
                        *sizes == ']' ? "" : ", ", sizes);
}

bool declared_is_sampler(const struct operator_def *op) {
    const struct declared *declared = declared_of(op);
    return declared && declared->reference.random;
}

void declared_accepter(struct arena *arena, const struct declared *from, struct declared *ret) {
    struct declared floats;
    struct declared_tensor *tensors = arena_array(arena, 3 * from->tensor_count + 2, sizeof *tensors);
    struct declared_tensor *next = tensors;
    int number = 0;
    const bool is_sampler = from->reference.random;
    declared_with_floats(arena, from, ASSAY_FP64, &floats);
    *ret = *from;
    ret->reference = (struct declared_reference){0};
    for (size_t i = 0; i < from->tensor_count; ++i)
        if (from->tensors[i].access != ASSAY_OUT)
            *next++ = (struct declared_tensor){from->tensors[i].name,
                                               tensor_spec_bare(arena, from->tensors[i].spec), ASSAY_IN};
    for (size_t i = 0; i < from->tensor_count; ++i) {
        if (from->tensors[i].access == ASSAY_IN) continue;
        const char *spec = tensor_spec_bare(arena, from->tensors[i].spec);
        *next++ = (struct declared_tensor){arena_format(arena, DECLARED_GOT "%d", number),
                                           is_sampler ? with_launches(arena, spec) : spec, ASSAY_IN};
        *next++ = (struct declared_tensor){arena_format(arena, DECLARED_RIGHT "%d", number++),
                                           tensor_spec_bare(arena, floats.tensors[i].spec), ASSAY_IN};
    }
    if (is_sampler) *next++ = (struct declared_tensor){DECLARED_LAUNCHES, "int64[]", ASSAY_IN};
    *next++ = (struct declared_tensor){DECLARED_ANSWER,
                                       arena_format(arena, "uint8[%d]", DECLARED_ANSWER_BYTES), ASSAY_OUT};
    ret->tensors = tensors;
    ret->tensor_count = (size_t)(next - tensors);
}

const char *declared_callable(struct arena *arena, const char *path, const char *function,
                              const char **ret_folder) {
    const char *base = path_base(path);
    char *folder = path_dir(path);
    *ret_folder = arena_strdup(arena, folder);
    free(folder);
    return arena_format(arena, "%.*s:%s", (int)(strlen(base) - strlen(".py")), base, function);
}
