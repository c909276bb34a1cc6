// SPDX-License-Identifier: Apache-2.0
//
// Allocates the tensors of a case and chooses the implementation that works on them.
#include "worker/check/case_buffers.h"

#include <stdio.h>
#include <string.h>

#include "op/dtype.h"
#include "worker/check/device_scratch.h"

#define DENSE_ALIGNMENT  256
#define BARELY_ALIGNMENT 16 // the least that the ABI promises

static int alloc_tensors(struct case_buffers *buffers, size_t shift_bytes, struct err *err) {
    const bool is_barely_aligned = buffers->memory_layout == MEMORY_LAYOUT_OFFSET;
    for (uint32_t i = 0; i < buffers->tensor_count; ++i) {
        const struct assay_tensor *tensor = &buffers->abi.tensors[i];
        const struct buffer_spec spec = {.label = role_name(tensor->role),
                                         .bytes = (size_t)tensor_span_bytes(tensor),
                                         .alignment = is_barely_aligned ? BARELY_ALIGNMENT : DENSE_ALIGNMENT,
                                         .is_barely_aligned = is_barely_aligned,
                                         .shift_bytes = shift_bytes};
        struct buffer *buffer = &buffers->buffers[i];
        TRY(buffers->device->backend->buffer_alloc(buffers->device, &spec, buffer, err));
        buffers->host[i] = buffers->own[i] = *tensor;
        buffers->host[i].data = buffer->host;
        buffers->own[i].data = buffer->data;
        if (tensor->access == ASSAY_IN) buffers->input_count = i + 1;
    }
    return 0;
}

int case_buffers_init(struct case_buffers *buffers, struct device *device, const struct problem *problem,
                      enum memory_layout memory_layout, size_t shift_bytes, struct err *err) {
    memset(buffers, 0, sizeof *buffers);
    buffers->checker = &checker_host;
    buffers->device = device;
    buffers->problem = *problem;
    buffers->memory_layout = memory_layout;
    problem_describe(problem, memory_layout, &buffers->abi);
    buffers->tensor_count = buffers->abi.tensor_count;
    const int code = alloc_tensors(buffers, shift_bytes, err);
    if (code < 0) {
        case_buffers_fini(buffers);
        return code;
    }
    buffers->list = (struct assay_tensors){.struct_size = sizeof buffers->list,
                                           .tensor_count = buffers->tensor_count,
                                           .tensor_bytes = sizeof buffers->own[0],
                                           .items = buffers->own};
    return 0;
}

void case_buffers_fini(struct case_buffers *buffers) {
    device_scratch_close(buffers->scratch);
    for (uint32_t i = 0; i < OP_TENSORS_MAX && buffers->device; ++i)
        buffers->device->backend->buffer_free(buffers->device, &buffers->buffers[i]);
    memset(buffers, 0, sizeof *buffers);
}

void case_buffers_share_scratch(struct case_buffers *buffers, const struct case_buffers *owner) {
    device_scratch_close(buffers->scratch);
    buffers->scratch = device_scratch_share(owner->scratch);
}

int case_buffers_fill(struct case_buffers *buffers, const char *distribution, uint64_t seed,
                      struct err *err) {
    snprintf(buffers->distribution, sizeof buffers->distribution, "%s", distribution);
    buffers->seed = seed;
    buffers->is_rotated = false;
    buffers->checker = checker_device.can(buffers) ? &checker_device : &checker_host;
    return buffers->checker->fill(buffers, err);
}

int case_buffers_poison(struct case_buffers *buffers, enum poison poison, struct err *err) {
    return buffers->checker->poison(buffers, poison, err);
}

int case_buffers_make_visible(struct case_buffers *buffers, bool with_inputs, struct err *err) {
    return buffers->checker->make_visible(buffers, with_inputs, err);
}

bool case_buffers_find_changed_input(const struct case_buffers *buffers, const struct tensor_hashes *hashes,
                                     uint32_t *ret_input) {
    for (uint32_t i = 0; i < buffers->input_count; ++i)
        if (memcmp(hashes->inputs[i], buffers->input_hash[i], sizeof hashes->inputs[i]) != 0) {
            *ret_input = i;
            return true;
        }
    return false;
}

int case_buffers_read_value(struct case_buffers *buffers, uint32_t tensor, int64_t offset, double *ret,
                            struct err *err) {
    unsigned char element[8];
    TRY(buffers->checker->read_element(buffers, tensor, offset, element, err));
    *ret = dtype_load(buffers->own[tensor].dtype, element);
    return 0;
}

uint64_t case_buffers_bytes(const struct case_buffers *buffers) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < buffers->tensor_count; ++i) bytes += buffers->buffers[i].bytes;
    return bytes;
}
