// SPDX-License-Identifier: Apache-2.0
//
// Tensors: names of roles, and the arithmetic of shapes and strides (counts, spans, coordinates, offsets),
// for any rank.
#include "op/dtype.h"
#include "op/operator.h"

#define ROLE_COUNT ((int32_t)(sizeof roles / sizeof roles[0]))

static const struct {
    const char *name;
    bool is_statistic;
} roles[] = {
    [ASSAY_Q] = {"q", false},
    [ASSAY_K] = {"k", false},
    [ASSAY_V] = {"v", false},
    [ASSAY_O] = {"out", false},
    [ASSAY_LSE] = {"lse", true},
    [ASSAY_Q_SCALE] = {"q_scale", true},
    [ASSAY_K_SCALE] = {"k_scale", true},
    [ASSAY_V_SCALE] = {"v_scale", true},
    [ASSAY_X] = {"x", false},
    [ASSAY_Y] = {"y", false},
};

const char *role_name(int32_t role) {
    return role > ASSAY_ROLE_INVALID && role < ROLE_COUNT ? roles[role].name : "unknown";
}

bool role_is_statistic(int32_t role) {
    return role > ASSAY_ROLE_INVALID && role < ROLE_COUNT && roles[role].is_statistic;
}

uint64_t tensor_element_count(const struct assay_tensor *tensor) {
    uint64_t count = 1;
    for (int32_t i = 0; i < tensor->dim_count; ++i) count *= (uint64_t)tensor->shape[i];
    return count;
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
