// SPDX-License-Identifier: Apache-2.0
//
// Allocates the tensors of a case and chooses the implementation that works on them.
#include "worker/check/case_buffers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/signed_figure.h"
#include "op/declared/made_inputs.h"
#include "op/dtype.h"
#include "op/seed_stream.h"
#include "worker/check/device_scratch.h"
#include "worker/check/result_used.h"

#define DENSE_ALIGNMENT  256
#define BARELY_ALIGNMENT 16 // the least that the ABI promises

static int alloc_tensor(struct case_buffers *buffers, uint32_t i, struct err *err) {
    const bool is_barely_aligned = buffers->memory_layout == MEMORY_LAYOUT_OFFSET;
    const struct assay_tensor *tensor = &buffers->abi.tensors[i];
    const enum buffer_sharing shared = tensor->access == ASSAY_IN ? BUFFER_SHARED_IN : BUFFER_SHARED_OUT;
    const struct buffer_spec spec = {.label = tensor->name,
                                     .bytes = (size_t)tensor_span_bytes(tensor),
                                     .alignment = is_barely_aligned ? BARELY_ALIGNMENT : DENSE_ALIGNMENT,
                                     .is_barely_aligned = is_barely_aligned,
                                     .shift_bytes = buffers->shift_bytes,
                                     .sharing = buffers->is_apart ? shared : BUFFER_PRIVATE};
    return buffers->device->backend->buffer_alloc(buffers->device, &spec, &buffers->buffers[i], err);
}

// Tensors get the addresses of the buffers that are selected.
static void point_tensor(struct case_buffers *buffers, uint32_t i) {
    buffers->host[i].data = buffers->buffers[i].host;
    buffers->own[i].data = buffers->buffers[i].data;
    if (buffers->before[i].access != ASSAY_INOUT) buffers->before[i].data = buffers->host[i].data;
}

static int alloc_before(struct case_buffers *buffers, uint32_t i, struct err *err) {
    struct assay_tensor *tensor = &buffers->before[i];
    if (tensor->access != ASSAY_INOUT) return 0;
    buffers->has_in_out = true;
    tensor->data = mem_try_array((size_t)tensor_span_bytes(tensor), 1);
    if (tensor->data) return 0;
    return err_set(err, ERR_UNAVAILABLE, "no memory for a copy of '%s' of %s", tensor->name,
                   buffers->problem.name);
}

// The lists of tensors begin with the first, which frees all.
static void alloc_lists(struct case_buffers *buffers) {
    const size_t count = buffers->tensor_count + 1;
    const size_t each = (1 + WORK_SIDES_MAX) * sizeof *buffers->buffers + 3 * sizeof *buffers->host +
                        sizeof *buffers->device_before + sizeof *buffers->input_hash;
    buffers->buffers = mem_alloc(count * each);
    buffers->others = buffers->buffers + count;
    buffers->host = (void *)(buffers->others + WORK_SIDES_MAX * count);
    buffers->own = buffers->host + count;
    buffers->before = buffers->own + count;
    buffers->device_before = (void *)(buffers->before + count);
    buffers->input_hash = (void *)(buffers->device_before + count);
}

static struct buffer *other(const struct case_buffers *buffers, uint32_t side, uint32_t i) {
    return &buffers->others[side * buffers->tensor_count + i];
}

static int alloc_tensors(struct case_buffers *buffers, struct err *err) {
    alloc_lists(buffers);
    for (uint32_t i = 0; i < buffers->tensor_count; ++i) {
        TRY(alloc_tensor(buffers, i, err));
        buffers->host[i] = buffers->own[i] = buffers->before[i] = buffers->abi.tensors[i];
        TRY(alloc_before(buffers, i, err));
        point_tensor(buffers, i);
        if (buffers->abi.tensors[i].access == ASSAY_IN) buffers->input_count = i + 1;
    }
    return 0;
}

int case_buffers_init(struct case_buffers *buffers, struct device *device, const struct problem *problem,
                      const struct case_memory *memory, struct err *err) {
    static uint64_t generation; // the worker works on cases in one thread
    memset(buffers, 0, sizeof *buffers);
    buffers->checker = &checker_host;
    buffers->device = device;
    buffers->problem = *problem;
    buffers->memory_layout = memory_layout_behind(memory->memory_layout);
    buffers->shift_bytes = memory->shift_bytes;
    buffers->is_apart = memory->is_apart;
    buffers->side = memory->first_side;
    buffers->keeps_made = memory->keeps_made;
    memcpy(buffers->tolerances, memory->tolerances, sizeof buffers->tolerances);
    buffers->error_limits = memory->error_limits;
    buffers->own_reference = memory->own_reference;
    buffers->order = memory->order;
    buffers->generation = ++generation;
    problem_describe(problem, buffers->memory_layout, &buffers->abi);
    buffers->tensor_count = buffers->abi.tensor_count;
    const int code = alloc_tensors(buffers, err);
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
    made_inputs_release(buffers->made);
    for (uint32_t i = 0; i < buffers->tensor_count && buffers->buffers; ++i) {
        if (buffers->before[i].access == ASSAY_INOUT) free(buffers->before[i].data);
        if (buffers->device_before[i])
            buffers->device->backend->work->scratch_free(buffers->device, buffers->device_before[i]);
        buffers->device->backend->buffer_free(buffers->device, &buffers->buffers[i]);
        for (uint32_t side = 0; side < WORK_SIDES_MAX; ++side)
            buffers->device->backend->buffer_free(buffers->device, other(buffers, side, i));
    }
    free(buffers->buffers);
    memset(buffers, 0, sizeof *buffers);
}

int case_buffers_select(struct case_buffers *buffers, uint32_t side, struct err *err) {
    if (side == buffers->side) return 0;
    if (!buffers->is_apart) {
        buffers->side = side;
        return 0;
    }
    for (uint32_t i = buffers->input_count; i < buffers->tensor_count; ++i) {
        *other(buffers, buffers->side, i) = buffers->buffers[i];
        buffers->buffers[i] = *other(buffers, side, i);
        *other(buffers, side, i) = (struct buffer){0};
    }
    buffers->side = side;
    for (uint32_t i = buffers->input_count; i < buffers->tensor_count; ++i) {
        if (!buffers->buffers[i].map) TRY(alloc_tensor(buffers, i, err));
        point_tensor(buffers, i);
    }
    return 0;
}

void case_buffers_share_scratch(struct case_buffers *buffers, const struct case_buffers *owner) {
    device_scratch_close(buffers->scratch);
    buffers->scratch = device_scratch_share(owner->scratch);
}

int case_buffers_fill(struct case_buffers *buffers, const char *distribution, uint64_t seed,
                      struct err *err) {
    if (distribution != buffers->distribution)
        snprintf(buffers->distribution, sizeof buffers->distribution, "%s", distribution);
    buffers->seed = seed;
    buffers->is_rotated = false;
    buffers->checker = checker_device.can(buffers) ? &checker_device : &checker_host;
    return buffers->checker->fill(buffers, err);
}

int case_buffers_poison(struct case_buffers *buffers, enum poison poison, struct err *err) {
    buffers->poison = poison;
    return buffers->checker->poison(buffers, poison, err);
}

int case_buffers_poison_on_device(struct case_buffers *buffers, uint32_t i, enum poison poison,
                                  struct err *err) {
    const struct assay_tensor *tensor = &buffers->own[i];
    if (tensor->access != ASSAY_INOUT) return device_step_poison(buffers->device, tensor, poison, err);
    return buffers->device->backend->work->copy(buffers->device, tensor->data, buffers->device_before[i],
                                                (size_t)tensor_span_bytes(tensor), err);
}

static int bring(const struct case_buffers *buffers, const struct assay_tensor *to, const void *from,
                 struct err *err) {
    return buffers->device->backend->work->copy_out(buffers->device, to->data, from,
                                                    (size_t)tensor_span_bytes(to), err);
}

int case_buffers_bring_input(const struct case_buffers *buffers, uint32_t i, struct err *err) {
    if (buffers->checker == &checker_host || buffers->before[i].access == ASSAY_OUT) return 0;
    return bring(buffers, &buffers->before[i],
                 i < buffers->input_count ? buffers->own[i].data : buffers->device_before[i], err);
}

int case_buffers_bring_outputs(const struct case_buffers *buffers, struct err *err) {
    for (uint32_t i = buffers->input_count; i < buffers->tensor_count; ++i)
        TRY(bring(buffers, &buffers->host[i], buffers->own[i].data, err));
    return 0;
}

uint64_t case_buffers_filled_seed(const struct case_buffers *buffers) {
    return buffers->is_rotated ? seed_child(buffers->seed, "other inputs", 0) : buffers->seed;
}

int case_buffers_make_visible(struct case_buffers *buffers, bool with_inputs, struct err *err) {
    TRY(buffers->checker->make_visible(buffers, with_inputs, err));
    result_used_clear(buffers->problem.op, buffers->host, buffers->tensor_count);
    return 0;
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
    *ret = unsigned_nan(dtype_load(buffers->own[tensor].dtype, element));
    return 0;
}

void slice_failure_explain(const struct case_buffers *buffers, struct slice_failure *failure) {
    const struct assay_tensor *tensor = case_buffers_host_output(buffers, failure->output);
    char where[COORD_TEXT_BYTES];
    if (*failure->why) return;
    coord_format(failure->coord, tensor->dim_count, where, sizeof where);
    snprintf(failure->why, sizeof failure->why, "'%s'%s is %.9g, expected %.9g", tensor->name, where,
             unsigned_nan(failure->got), unsigned_nan(failure->expected));
}

uint64_t case_buffers_bytes(const struct case_buffers *buffers) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < buffers->tensor_count; ++i) bytes += buffers->buffers[i].bytes;
    return bytes;
}
