// SPDX-License-Identifier: Apache-2.0
//
// checker_ops by the host's threads: for devices that share the host's memory, and for memory layouts that
// our device kernels do not support (then whole tensors are copied to and from the device).
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "op/dtype.h"
#include "op/seed_stream.h"
#include "worker/check/checker_internal.h"
#include "worker/check/device_scratch.h"
#include "worker/check/made_pool.h"
#include "worker/check/result_rules.h"
#include "worker/check/same_precision.h"

#define FILL_ALONE_BYTES (128u << 10) // tensors of less are filled before another thread is awake

// ---- contents ----

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
    job->codes[index] = b->problem.op->fill(&b->problem, b->distribution, b->seed, (uint32_t)index,
                                            &b->host[index], &job->errors[index]);
}

static int keep_inputs(struct case_buffers *buffers, struct err *err) {
    for (uint32_t i = 0; i < buffers->input_count; ++i) {
        tensor_hash(&buffers->host[i], buffers->input_hash[i]);
        TRY(buffers->device->backend->buffer_upload(buffers->device, &buffers->buffers[i], err));
    }
    return 0;
}

// Copies in device memory what a tensor holds before a launch, so that no launch waits for a copy from here.
static int keep_on_device(struct case_buffers *buffers, uint32_t i, struct err *err) {
    const struct device_work *work = buffers->device->backend->work;
    const size_t bytes = (size_t)tensor_span_bytes(&buffers->own[i]);
    if (!work || tensor_has_gaps(&buffers->own[i])) return 0;
    if (!buffers->device_before[i])
        TRY(work->scratch_alloc(buffers->device, bytes, &buffers->device_before[i], err));
    return work->copy(buffers->device, buffers->device_before[i], buffers->own[i].data, bytes, err);
}

// Fills what in-out tensors hold before a launch and uploads it; each poisoning puts it back.
static int fill_in_out(struct case_buffers *buffers, struct err *err) {
    for (uint32_t i = buffers->input_count; i < buffers->tensor_count; ++i) {
        const struct assay_tensor *tensor = &buffers->before[i];
        if (tensor->access != ASSAY_INOUT) continue;
        TRY(buffers->problem.op->fill(&buffers->problem, buffers->distribution, buffers->seed, i, tensor,
                                      err));
        tensor_copy(&buffers->host[i], tensor);
        TRY(buffers->device->backend->buffer_upload(buffers->device, &buffers->buffers[i], err));
        TRY(keep_on_device(buffers, i, err));
    }
    return 0;
}

// Whether another thread could fill something while this one fills the largest input.
static bool is_shared_work(const struct case_buffers *buffers) {
    uint64_t all_bytes = 0, largest_bytes = 0;
    for (uint32_t i = 0; i < buffers->input_count; ++i) {
        const uint64_t bytes = buffers->buffers[i].bytes;
        all_bytes += bytes;
        if (bytes > largest_bytes) largest_bytes = bytes;
    }
    return all_bytes - largest_bytes >= FILL_ALONE_BYTES;
}

static int host_fill(struct case_buffers *buffers, struct err *err) {
    TRY(made_pool_open(buffers, buffers->seed, err));
    struct fill_job *job = mem_alloc(sizeof *job);
    job->buffers = buffers;
    const struct assay_cpu_stream *stream = buffers->device->host_stream;
    if (is_shared_work(buffers))
        stream->parallel_for(stream, buffers->input_count, fill_tensor, job);
    else
        for (uint32_t i = 0; i < buffers->input_count; ++i) fill_tensor(job, i, 0);
    int code = 0;
    for (uint32_t i = 0; i < buffers->input_count && code == 0; ++i)
        if (job->codes[i] < 0) {
            code = job->codes[i];
            if (err) *err = job->errors[i];
        }
    free(job);
    TRY(code);
    TRY(fill_in_out(buffers, err));
    return keep_inputs(buffers, err);
}

static void poison_output(struct case_buffers *buffers, uint32_t i, enum poison poison) {
    tensor_poison(&buffers->host[i], poison);
    if (buffers->before[i].access == ASSAY_INOUT) tensor_copy(&buffers->host[i], &buffers->before[i]);
}

static int host_poison(struct case_buffers *buffers, enum poison poison, struct err *err) {
    for (uint32_t i = buffers->input_count; i < buffers->tensor_count; ++i) {
        if (buffers->device->backend->work && !tensor_has_gaps(&buffers->own[i])) {
            TRY(case_buffers_poison_on_device(buffers, i, poison, err));
            continue;
        }
        poison_output(buffers, i, poison);
        TRY(buffers->device->backend->buffer_upload(buffers->device, &buffers->buffers[i], err));
    }
    return 0;
}

// An upload would wait for the stream, so the poison is first staged in device memory and copied from
// there.
static int host_poison_behind(struct case_buffers *buffers, enum poison poison, uint64_t delay_ns,
                              void **ret_staged, struct err *err) {
    const struct device_work *work = buffers->device->backend->work;
    size_t total = 0;
    for (uint32_t i = buffers->input_count; i < buffers->tensor_count; ++i)
        total += buffers->buffers[i].bytes;
    TRY(work->scratch_alloc(buffers->device, total, ret_staged, err));
    char *staged = *ret_staged;
    for (uint32_t i = buffers->input_count; i < buffers->tensor_count; ++i) {
        poison_output(buffers, i, poison);
        TRY(work->copy_in(buffers->device, staged, buffers->host[i].data, buffers->buffers[i].bytes, err));
        staged += buffers->buffers[i].bytes;
    }
    TRY(work->delay(buffers->device, delay_ns, err));
    staged = *ret_staged;
    for (uint32_t i = buffers->input_count; i < buffers->tensor_count; ++i) {
        TRY(work->copy(buffers->device, buffers->buffers[i].data, staged, buffers->buffers[i].bytes, err));
        staged += buffers->buffers[i].bytes;
    }
    return 0;
}

static int host_sync_to_host(struct case_buffers *buffers, bool with_inputs, struct err *err) {
    for (uint32_t i = with_inputs ? 0 : buffers->input_count; i < buffers->tensor_count; ++i)
        TRY(buffers->device->backend->buffer_download(buffers->device, &buffers->buffers[i], err));
    return 0;
}

// Rows of every input move by different distances, so that no symmetry of an operator (such as one that
// does not care about the order of rows) maps the result onto itself: half way for the first input, then
// 1, 2, ... rows (elements, when there is one row); all different while there are rows enough, and never
// back to where they were.
static int rotate_rows(struct case_buffers *buffers, struct err *err) {
    for (uint32_t i = 0; i < buffers->input_count; ++i) {
        const struct assay_tensor *tensor = &buffers->host[i];
        void *scratch = mem_try_array((size_t)tensor_packed_bytes(tensor), 1);
        if (!scratch)
            return err_set(err, ERR_UNAVAILABLE, "no memory to rotate tensor '%s' of %s", tensor->name,
                           buffers->problem.name);
        const struct tensor_rows view = tensor_rows_of(tensor);
        const size_t count = view.row_count > 1 ? view.row_count : view.row_bytes / view.element_bytes;
        const size_t wanted = i == 0 ? count / 2 + 1 : i;
        const int64_t rows = count > 1 ? 1 + (int64_t)((wanted - 1) % (count - 1)) : 0;
        tensor_rotate(tensor, buffers->is_rotated ? -rows : rows, scratch);
        free(scratch);
    }
    buffers->is_rotated = !buffers->is_rotated;
    return keep_inputs(buffers, err);
}

// Inputs of a declared operator may be places in others, which rows elsewhere would no longer be: all are
// drawn anew.
static int draw_others(struct case_buffers *buffers, struct err *err) {
    const uint64_t own_seed = buffers->seed;
    buffers->is_rotated = !buffers->is_rotated;
    buffers->seed = case_buffers_filled_seed(buffers);
    const int code = host_fill(buffers, err);
    buffers->seed = own_seed;
    return code;
}

static int host_rotate(struct case_buffers *buffers, struct err *err) {
    return buffers->problem.op->oracle ? rotate_rows(buffers, err) : draw_others(buffers, err);
}

static int host_locate_change(struct case_buffers *buffers, uint32_t input, int64_t ret_coord[ASSAY_MAX_DIMS],
                              struct err *err) {
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
    code = buffers->problem.op->fill(&buffers->problem, buffers->distribution, buffers->seed, input, &fresh,
                                     err);
    if (code < 0) goto out;
    tensor_pack(&fresh, dense);
    tensor_find_change(tensor, dense, &offset); // stays 0 when only a gap was written
    tensor_coord_at(tensor, offset, ret_coord);
out:
    free(span);
    free(dense);
    return code;
}

// ---- what a launch left ----

// Outputs first: a kernel that is still running then has the least time to finish.
static int host_hash(struct case_buffers *const *sets, uint32_t set_count, int what,
                     struct tensor_hashes *ret, struct err *err) {
    (void)err;
    for (uint32_t s = 0; s < set_count && (what & HASHED_OUTPUTS); ++s) {
        struct hash_state *hash = hash_new();
        for (uint32_t k = 0; k < case_buffers_output_count(sets[s]); ++k)
            tensor_hash_elements(hash, case_buffers_host_output(sets[s], k));
        hash_take_hex(hash, ret[s].outputs);
    }
    for (uint32_t s = 0; s < set_count; ++s)
        for (uint32_t i = 0; i < sets[s]->input_count && (what & HASHED_INPUTS); ++i)
            tensor_hash(&sets[s]->host[i], ret[s].inputs[i]);
    return 0;
}

static bool host_find_gap_written(const struct case_buffers *buffers, enum poison poison,
                                  uint32_t *ret_output, uint64_t *ret_row) {
    for (uint32_t k = 0; k < case_buffers_output_count(buffers); ++k)
        if (tensor_find_gap_written(case_buffers_host_output(buffers, k), poison, ret_row)) {
            *ret_output = k;
            return true;
        }
    return false;
}

static bool host_has_poison(struct case_buffers *buffers, enum poison poison) {
    for (uint32_t k = 0; k < case_buffers_output_count(buffers); ++k)
        if (tensor_has_poison(case_buffers_host_output(buffers, k), poison)) return true;
    return false;
}

// ---- keeping outputs ----

static int host_keep_outputs(struct case_buffers *buffers, struct kept_outputs *kept, struct err *err) {
    for (uint32_t k = 0; k < case_buffers_output_count(buffers); ++k) {
        const struct assay_tensor *tensor = case_buffers_host_output(buffers, k);
        if (!kept->data[k]) kept->data[k] = mem_try_array((size_t)tensor_packed_bytes(tensor), 1);
        if (!kept->data[k])
            return err_set(err, ERR_UNAVAILABLE, "no memory for a copy of '%s' of %s", tensor->name,
                           buffers->problem.name);
        tensor_pack(tensor, kept->data[k]);
    }
    return 0;
}

static int host_restore_outputs(struct case_buffers *buffers, const struct kept_outputs *kept,
                                struct err *err) {
    for (uint32_t k = 0; k < case_buffers_output_count(buffers); ++k) {
        tensor_unpack(case_buffers_host_output(buffers, k), kept->data[k]);
        TRY(buffers->device->backend->buffer_upload(buffers->device,
                                                    &buffers->buffers[buffers->input_count + k], err));
    }
    return 0;
}

static void host_drop_outputs(struct case_buffers *buffers, struct kept_outputs *kept) {
    (void)buffers;
    for (uint32_t k = 0; k < OP_TENSORS_MAX; ++k) free(kept->data[k]);
    memset(kept, 0, sizeof *kept);
}

static int host_find_difference(struct case_buffers *buffers, const struct kept_outputs *kept,
                                uint32_t *ret_output, int64_t *ret_offset, struct err *err) {
    (void)err;
    for (uint32_t k = 0; k < case_buffers_output_count(buffers); ++k) {
        if (!tensor_find_change(case_buffers_host_output(buffers, k), kept->data[k], ret_offset)) continue;
        *ret_output = k;
        return CHECK_FOUND;
    }
    return CHECK_NOT_FOUND;
}

static int host_read_element(struct case_buffers *buffers, uint32_t tensor, int64_t offset,
                             unsigned char ret[8], struct err *err) {
    (void)err;
    const size_t bytes = dtype_bytes(buffers->host[tensor].dtype);
    memcpy(ret, (const char *)buffers->host[tensor].data + (size_t)offset * bytes, bytes);
    return 0;
}

// ---- comparing with the reference ----

static int host_compare(struct case_buffers *buffers, const struct reference *reference, uint32_t k,
                        const struct op_tolerance *tolerance, struct tensor_verdict *ret, struct err *err) {
    bool has_rule;
    TRY(result_rules_compare(buffers, reference->outputs, k, &has_rule, ret, err));
    if (has_rule) return 0;
    tensor_compare(case_buffers_host_output(buffers, k), reference->outputs[k], tolerance, POISON_OUTPUT,
                   buffers->device->host_stream, ret);
    return 0;
}

static int host_measure_rows(const struct case_buffers *buffers, const struct reference *reference,
                             const struct tensor_verdict *verdicts,
                             struct reference_same_precision ret[OP_TENSORS_MAX], struct err *err) {
    (void)verdicts, (void)err;
    same_precision_sample(buffers, reference, ret);
    return 0;
}

const struct checker_ops checker_host = {
    .name = "host",
    .fill = host_fill,
    .rotate = host_rotate,
    .poison = host_poison,
    .poison_behind = host_poison_behind,
    .make_visible = host_sync_to_host,
    .hash = host_hash,
    .locate_change = host_locate_change,
    .find_gap_written = host_find_gap_written,
    .has_poison = host_has_poison,
    .keep_outputs = host_keep_outputs,
    .restore_outputs = host_restore_outputs,
    .drop_outputs = host_drop_outputs,
    .find_difference = host_find_difference,
    .read_element = host_read_element,
    .open_reference = reference_open_host,
    .compare = host_compare,
    .measure_rows = host_measure_rows,
    .check_rows = slices_check,
};
