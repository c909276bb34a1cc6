// SPDX-License-Identifier: Apache-2.0
//
// See declared_fills.h.
#include "op/declared/declared_fills.h"

#include <string.h>

#include "op/declared/declared_internal.h"

bool declared_with_fills(struct arena *arena, const struct declared *from, struct declared *ret) {
    struct declared_tensor *tensors = arena_array(arena, from->tensor_count + 1, sizeof *tensors);
    size_t inputs = 0;
    *ret = *from; // which may be the same
    while (inputs < from->tensor_count && from->tensors[inputs].access == ASSAY_IN) ++inputs;
    if (!inputs || from->tensor_count == OP_TENSORS_MAX) return false;
    memcpy(tensors, from->tensors, inputs * sizeof *tensors);
    memcpy(tensors + inputs + 1, from->tensors + inputs, (from->tensor_count - inputs) * sizeof *tensors);
    tensors[inputs] = (struct declared_tensor){
        DECLARED_FILLS, arena_format(arena, "uint8[%zu, %zu]", inputs, sizeof(struct declared_fill_record)),
        ASSAY_IN};
    ret->tensors = tensors;
    ++ret->tensor_count;
    return true;
}

bool declared_record_fill(const struct problem *problem, const char *distribution, uint64_t seed,
                          uint32_t tensor_index, struct declared_fill_record *ret) {
    struct problem_abi abi;
    problem_describe(problem, MEMORY_LAYOUT_DENSE, &abi);
    const struct assay_tensor *tensor = &abi.tensors[tensor_index];
    memset(ret, 0, sizeof *ret);
    if (tensor->access != ASSAY_IN ||
        declared_fill_prepare(problem, distribution, seed, tensor, &ret->fill, NULL) < 0 ||
        !declared_device_fills(ret->fill.family))
        return false;
    ret->dtype = tensor->dtype;
    return true;
}
