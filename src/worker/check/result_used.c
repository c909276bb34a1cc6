// SPDX-License-Identifier: Apache-2.0
//
// See result_used.h.
#include "worker/check/result_used.h"

#include <string.h>

#include "op/dtype.h"

// Elements that one step of the counted axis has.
static uint64_t inner_of(const struct declared_rule *rule, const struct assay_tensor *tensor) {
    uint64_t ret = 1;
    for (int32_t d = rule->used_axis + 1; d < tensor->dim_count; ++d) ret *= (uint64_t)tensor->shape[d];
    return ret;
}

uint64_t result_used_block(const struct declared_rule *rule, const struct assay_tensor *tensor,
                           uint64_t element) {
    return element / ((uint64_t)tensor->shape[rule->used_axis] * inner_of(rule, tensor));
}

uint64_t result_used_end(const struct declared_rule *rule, const struct assay_tensor *tensor, uint64_t block,
                         double count) {
    const uint64_t most = (uint64_t)tensor->shape[rule->used_axis];
    const uint64_t used = count >= 0 && count <= (double)most ? (uint64_t)count : most;
    return (block * most + used) * inner_of(rule, tensor);
}

static uint64_t end_of(const struct declared_rule *rule, const struct assay_tensor *tensors, uint32_t index,
                       uint64_t block) {
    const struct assay_tensor *counts = &tensors[rule->used];
    return result_used_end(rule, &tensors[index], block,
                           dtype_load(counts->dtype, tensor_element_at(counts, block)));
}

static void clear(const struct assay_tensor *tensor, uint64_t begin, uint64_t end) {
    const uint64_t row = tensor_row_length(tensor);
    while (begin < end) {
        const uint64_t left = row - begin % row, count = end - begin < left ? end - begin : left;
        memset(tensor_element_at(tensor, begin), 0, (size_t)count * dtype_bytes(tensor->dtype));
        begin += count;
    }
}

void result_used_clear(const struct operator_def *op, const struct assay_tensor *tensors, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        const struct declared_rule *rule = declared_rule_of(op, i);
        if (!rule || rule->used < 0) continue;
        for (uint64_t block = 0; block < tensor_element_count(&tensors[rule->used]); ++block)
            clear(&tensors[i], end_of(rule, tensors, i, block),
                  result_used_end(rule, &tensors[i], block + 1, 0));
    }
}

uint64_t result_used_element(const struct operator_def *op, const struct assay_tensor *tensors,
                             uint32_t index, uint64_t element) {
    const struct declared_rule *rule = declared_rule_of(op, index);
    if (!rule || rule->used < 0) return element;
    const uint64_t block = result_used_block(rule, &tensors[index], element);
    const uint64_t first = result_used_end(rule, &tensors[index], block, 0);
    const uint64_t used = end_of(rule, tensors, index, block) - first;
    return used ? first + (element - first) % used : RESULT_NONE_USED;
}
