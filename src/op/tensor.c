// SPDX-License-Identifier: Apache-2.0
//
// The arithmetic of shapes and strides (counts, spans, coordinates, offsets), for any rank.
#include "op/dtype.h"
#include "op/operator.h"

bool tensor_is_statistic(const struct assay_tensor *tensor) {
    return tensor->flags & ASSAY_STATISTIC;
}

uint64_t tensor_element_count(const struct assay_tensor *tensor) {
    uint64_t count = 1;
    for (int32_t i = 0; i < tensor->dim_count; ++i) count *= (uint64_t)tensor->shape[i];
    return count;
}

uint64_t tensor_row_length(const struct assay_tensor *tensor) {
    return tensor->dim_count ? (uint64_t)tensor->shape[tensor->dim_count - 1] : 1;
}

uint64_t tensor_span_bytes(const struct assay_tensor *tensor) {
    if (tensor_element_count(tensor) == 0) return 0;
    uint64_t last = 0;
    for (int32_t i = 0; i < tensor->dim_count; ++i)
        last += (uint64_t)(tensor->shape[i] - 1) * (uint64_t)tensor->stride[i];
    return (last + 1) * dtype_bytes(tensor->dtype);
}

void tensor_coord(const struct assay_tensor *tensor, uint64_t dense_index,
                  int64_t ret_coord[ASSAY_MAX_DIMS]) {
    for (int32_t i = tensor->dim_count - 1; i >= 0; --i) {
        const uint64_t extent = (uint64_t)tensor->shape[i];
        ret_coord[i] = (int64_t)(dense_index % extent);
        dense_index /= extent;
    }
}

int64_t tensor_offset(const struct assay_tensor *tensor, const int64_t *coord) {
    int64_t offset = 0;
    for (int32_t i = 0; i < tensor->dim_count; ++i) offset += coord[i] * tensor->stride[i];
    return offset;
}

void *tensor_element_at(const struct assay_tensor *tensor, uint64_t dense_index) {
    int64_t coord[ASSAY_MAX_DIMS];
    tensor_coord(tensor, dense_index, coord);
    return (char *)tensor->data + (size_t)tensor_offset(tensor, coord) * dtype_bytes(tensor->dtype);
}
