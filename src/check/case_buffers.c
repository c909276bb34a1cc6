// SPDX-License-Identifier: Apache-2.0
//
// Allocating and filling the tensors of a case.
#include "check/case_buffers.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DENSE_ALIGNMENT  256
#define BARELY_ALIGNMENT 16 // the least that the ABI promises

static int alloc_tensor(struct case_buffers *buffers, uint32_t index, size_t shift_bytes, struct err *err) {
    const struct assay_tensor *tensor = &buffers->abi.tensors[index];
    bool is_barely_aligned = buffers->placement == PLACEMENT_OFFSET;
    struct buffer_spec spec = {.label = role_name(tensor->role),
                               .bytes = (size_t)tensor_span_bytes(tensor),
                               .alignment = is_barely_aligned ? BARELY_ALIGNMENT : DENSE_ALIGNMENT,
                               .is_barely_aligned = is_barely_aligned,
                               .shift_bytes = shift_bytes};
    struct buffer *buffer = &buffers->buffers[index];
    TRY(buffers->device->backend->buffer_alloc(buffers->device, &spec, buffer, err));
    buffers->host[index] = buffers->own[index] = *tensor;
    buffers->host[index].data = buffer->host;
    buffers->own[index].data = buffer->data;
    if (tensor->access == ASSAY_IN) buffers->input_count = index + 1;
    return 0;
}

int case_buffers_init(struct case_buffers *buffers, struct device *device, const struct problem *problem,
                      enum placement placement, size_t shift_bytes, struct err *err) {
    memset(buffers, 0, sizeof *buffers);
    buffers->device = device;
    buffers->problem = *problem;
    buffers->placement = placement;
    problem_describe(problem, placement, &buffers->abi);
    buffers->tensor_count = buffers->abi.tensor_count;
    for (uint32_t i = 0; i < buffers->tensor_count; ++i) {
        int code = alloc_tensor(buffers, i, shift_bytes, err);
        if (code < 0) {
            case_buffers_fini(buffers);
            return code;
        }
    }
    buffers->list = (struct assay_tensors){.struct_size = sizeof buffers->list,
                                           .tensor_count = buffers->tensor_count,
                                           .tensor_bytes = sizeof buffers->own[0],
                                           .items = buffers->own};
    return 0;
}

void case_buffers_fini(struct case_buffers *buffers) {
    for (uint32_t i = 0; i < OP_TENSORS_MAX && buffers->device; ++i)
        buffers->device->backend->buffer_free(buffers->device, &buffers->buffers[i]);
    memset(buffers, 0, sizeof *buffers);
}

struct fill_job {
    struct case_buffers *buffers;
    int codes[OP_TENSORS_MAX];
    struct err errors[OP_TENSORS_MAX];
};

static void fill_tensor(void *arg, int64_t index, uint32_t thread) {
    (void)thread;
    struct fill_job *job = arg;
    struct case_buffers *b = job->buffers;
    tensor_poison(&b->host[index], POISON_GAP);
    job->codes[index] = b->problem.op->fill(&b->problem, b->family, b->seed, (uint32_t)index, &b->host[index],
                                            &job->errors[index]);
}

static int keep_inputs(struct case_buffers *buffers, struct err *err) {
    for (uint32_t i = 0; i < buffers->input_count; ++i) {
        tensor_hash(&buffers->host[i], buffers->input_hash[i]);
        TRY(buffers->device->backend->buffer_upload(buffers->device, &buffers->buffers[i], err));
    }
    return 0;
}

int case_buffers_fill(struct case_buffers *buffers, const char *family, uint64_t seed, struct err *err) {
    snprintf(buffers->family, sizeof buffers->family, "%s", family);
    buffers->seed = seed;
    buffers->is_rotated = false;
    struct fill_job *job = mem_alloc(sizeof *job);
    job->buffers = buffers;
    const struct assay_cpu_stream *stream = buffers->device->host_stream;
    stream->parallel_for(stream, buffers->input_count, fill_tensor, job);
    int code = 0;
    for (uint32_t i = 0; i < buffers->input_count && code == 0; ++i)
        if (job->codes[i] < 0) {
            code = job->codes[i];
            if (err) *err = job->errors[i];
        }
    free(job);
    return code < 0 ? code : keep_inputs(buffers, err);
}

int case_buffers_poison(struct case_buffers *buffers, enum poison poison, struct err *err) {
    for (uint32_t i = buffers->input_count; i < buffers->tensor_count; ++i) {
        tensor_poison(&buffers->host[i], poison);
        TRY(buffers->device->backend->buffer_upload(buffers->device, &buffers->buffers[i], err));
    }
    return 0;
}

int case_buffers_download(struct case_buffers *buffers, bool with_inputs, struct err *err) {
    for (uint32_t i = with_inputs ? 0 : buffers->input_count; i < buffers->tensor_count; ++i)
        TRY(buffers->device->backend->buffer_download(buffers->device, &buffers->buffers[i], err));
    return 0;
}

// How far input number i moves: half way for the first, then 1, 2, ... rows (elements, when there is one row); all different
// while there are rows enough, and never back to where it was.
static int64_t rotation_of(const struct assay_tensor *tensor, uint32_t input) {
    const struct tensor_rows view = tensor_rows_of(tensor);
    const size_t count = view.row_count > 1 ? view.row_count : view.row_bytes / view.element_bytes;
    const size_t wanted = input == 0 ? count / 2 + 1 : input;
    return count > 1 ? 1 + (int64_t)((wanted - 1) % (count - 1)) : 0;
}

int case_buffers_rotate(struct case_buffers *buffers, struct err *err) {
    for (uint32_t i = 0; i < buffers->input_count; ++i) {
        const struct assay_tensor *tensor = &buffers->host[i];
        void *scratch = mem_try_array((size_t)tensor_packed_bytes(tensor), 1);
        if (!scratch)
            return err_set(err, ERR_UNAVAILABLE, "no memory to rotate tensor '%s' of %s",
                           role_name(tensor->role), buffers->problem.name);
        int64_t rows = rotation_of(tensor, i);
        tensor_rotate(tensor, buffers->is_rotated ? -rows : rows, scratch);
        free(scratch);
    }
    buffers->is_rotated = !buffers->is_rotated;
    return keep_inputs(buffers, err);
}

int case_buffers_find_changed_input(const struct case_buffers *buffers) {
    for (uint32_t i = 0; i < buffers->input_count; ++i) {
        char hex[HASH_HEX_BYTES];
        tensor_hash(&buffers->host[i], hex);
        if (memcmp(hex, buffers->input_hash[i], sizeof hex) != 0) return (int)i;
    }
    return -1;
}

int case_buffers_locate_change(struct case_buffers *buffers, uint32_t input,
                               int64_t ret_coord[ASSAY_MAX_DIMS], struct err *err) {
    const struct assay_tensor *tensor = &buffers->host[input];
    struct assay_tensor fresh = *tensor;
    void *span = mem_try_array((size_t)tensor_span_bytes(tensor), 1);
    void *dense = mem_try_array((size_t)tensor_packed_bytes(tensor), 1);
    int code = 0;
    int64_t offset = 0;
    if (!span || !dense) {
        code = err_set(err, ERR_UNAVAILABLE, "no memory to look for the changed element of %s",
                       buffers->problem.name);
        goto out;
    }
    fresh.data = span;
    code = buffers->problem.op->fill(&buffers->problem, buffers->family, buffers->seed, input, &fresh, err);
    if (code < 0) goto out;
    tensor_pack(&fresh, dense);
    tensor_find_change(tensor, dense, &offset); // stays 0 when only a gap was written
    tensor_coord_at(tensor, offset, ret_coord);
out:
    free(span);
    free(dense);
    return code;
}

uint64_t case_buffers_bytes(const struct case_buffers *buffers) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < buffers->tensor_count; ++i) bytes += buffers->buffers[i].bytes;
    return bytes;
}
