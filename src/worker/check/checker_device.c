// SPDX-License-Identifier: Apache-2.0
//
// checker_ops by device kernels, on tensors in device memory: dense tensors of operators that describe
// this work as kernel launches (struct op_device). Only single elements, hashes and parts of comparisons
// are copied to the host. Of a declared operator a process computes what is right, and the host judges by
// rules that are more than a tolerance: tensors are copied where it does, and the inputs that it fills.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "op/declared/declared.h"
#include "op/dtype.h"
#include "op/seed_stream.h"
#include "worker/check/checker_internal.h"
#include "worker/check/device_scratch.h"
#include "worker/check/made_pool.h"
#include "worker/check/same_precision.h"

#define WORDS_A_HASH 2
#define ZERO_WORD    0u
#define NONE         UINT64_MAX

// ---- what the device can do ----

// Comparisons walk through output and reference in the same order.
static bool is_in_shape_order(const struct assay_tensor *tensor) {
    int64_t stride = 1;
    for (int32_t i = tensor->dim_count - 1; i >= 0; --i) {
        if (tensor->shape[i] > 1 && tensor->stride[i] != stride) return false;
        stride *= tensor->shape[i];
    }
    return true;
}

// Small tensors that device kernels do not fill (scales) are filled by the host and copied.
static bool is_filled_by_host(const struct assay_tensor *tensor) {
    return tensor_is_statistic(tensor);
}

// What is not used of a result is taken away by the host before bits are compared.
static bool is_used_in_part(const struct case_buffers *buffers) {
    for (uint32_t i = buffers->input_count; i < buffers->tensor_count; ++i) {
        const struct declared_rule *rule = declared_rule_of(buffers->problem.op, i);
        if (rule && rule->used >= 0) return true;
    }
    return false;
}

static bool device_can(const struct case_buffers *buffers) {
    const struct op_device *op = buffers->problem.op->device;
    const uint32_t outputs = case_buffers_output_count(buffers);
    if (!buffers->device->backend->work || !op || buffers->memory_layout == MEMORY_LAYOUT_PADDED)
        return false;
    const bool is_right_by_host = reference_is_of_host(buffers);
    if (buffers->has_in_out && !is_right_by_host) return false;
    for (uint32_t i = is_right_by_host ? buffers->input_count : 0; i < buffers->tensor_count; ++i)
        if (tensor_has_gaps(&buffers->own[i])) return false;
    for (uint32_t k = 0; k < outputs; ++k)
        if (!is_in_shape_order(case_buffers_own_output(buffers, k))) return false;
    if (is_right_by_host) return !is_used_in_part(buffers);

    // Tests whether the operator describes all launches: builds them with arbitrary addresses and discards
    // them.
    struct kernel_launch launches[OP_PROGRAMS_MAX];
    double *reference[OP_TENSORS_MAX];
    void *plain[OP_TENSORS_MAX];
    bool is_gated[OP_TENSORS_MAX];
    for (uint32_t k = 0; k < outputs; ++k)
        reference[k] = plain[k] = case_buffers_own_output(buffers, k)->data;
    for (uint32_t i = 0; i < buffers->input_count; ++i)
        if (!is_filled_by_host(&buffers->own[i]) &&
            (!op->fill || !op->fill(&buffers->problem, buffers->distribution, buffers->seed, &buffers->own[i],
                                    plain[0], launches)))
            return false;
    if (!op->oracle || !op->oracle(&buffers->problem, buffers->own, reference, 0, 1, launches)) return false;
    return !buffers->problem.op->same_precision || !precision_find_gated(buffers, is_gated) ||
           (op->same_precision && op->same_precision(&buffers->problem, buffers->own, plain, launches));
}

// ---- hashes ----

// Index of a tensor's sums: a tensor has its place whether it is hashed or not. Sets of a case have the same
// tensors.
static uint32_t word_of(const struct case_buffers *buffers, uint32_t set, uint32_t tensor) {
    return (set * buffers->tensor_count + tensor) * WORDS_A_HASH;
}

static int hash_few(struct case_buffers *const *sets, uint32_t set_count, int what, struct tensor_hashes *ret,
                    struct err *err) {
    struct device_scratch *scratch = sets[0]->scratch;
    uint64_t words[SCRATCH_WORDS];
    const uint32_t word_count = word_of(sets[0], set_count, 0);
    TRY(device_scratch_clear(scratch, word_count, 0, err));
    for (uint32_t s = 0; s < set_count; ++s)
        for (uint32_t i = 0; i < sets[s]->tensor_count; ++i)
            if (what & (i < sets[s]->input_count ? HASHED_INPUTS : HASHED_OUTPUTS))
                TRY(device_scratch_hash(scratch, sets[s]->own[i].data,
                                        (size_t)tensor_span_bytes(&sets[s]->own[i]), word_of(sets[0], s, i),
                                        err));
    TRY(device_scratch_read(scratch, word_count, words, err));
    for (uint32_t s = 0; s < set_count; ++s) {
        const uint32_t first = sets[s]->input_count;
        for (uint32_t i = 0; i < first && (what & HASHED_INPUTS); ++i) {
            const uint64_t *sums = words + word_of(sets[0], s, i);
            snprintf(ret[s].inputs[i], HASH_HEX_BYTES, "%016llx%016llx", (unsigned long long)sums[0],
                     (unsigned long long)sums[1]);
        }
        if (what & HASHED_OUTPUTS)
            hash_bytes_hex(words + word_of(sets[0], s, first),
                           case_buffers_output_count(sets[s]) * WORDS_A_HASH * sizeof *words, ret[s].outputs);
    }
    return 0;
}

static int device_hash(struct case_buffers *const *sets, uint32_t set_count, int what,
                       struct tensor_hashes *ret, struct err *err) {
    const uint32_t room = set_count ? SCRATCH_WORDS / word_of(sets[0], 1, 0) : 1;
    for (uint32_t done = 0; done < set_count; done += room) {
        const uint32_t left = set_count - done, count = left < room ? left : room;
        TRY(hash_few(sets + done, count, what, ret + done, err));
    }
    return 0;
}

// ---- contents ----

static int fill_by_host(struct case_buffers *buffers, const char *distribution, uint64_t seed, uint32_t index,
                        const struct assay_tensor *tensor, struct err *err) {
    const size_t bytes = (size_t)tensor_span_bytes(tensor);
    struct assay_tensor local = *tensor;
    local.data = mem_try_array(bytes, 1);
    if (!local.data)
        return err_set(err, ERR_UNAVAILABLE, "no memory to fill '%s' of %s", tensor->name,
                       buffers->problem.name);
    tensor_poison(&local, POISON_GAP);
    int code = buffers->problem.op->fill(&buffers->problem, distribution, seed, index, &local, err);
    if (code == 0)
        code = buffers->device->backend->work->copy_in(buffers->device, tensor->data, local.data, bytes, err);
    free(local.data);
    return code;
}

static int fill_input(struct case_buffers *buffers, const char *distribution, uint64_t seed, uint32_t index,
                      const struct assay_tensor *tensor, struct err *err) {
    struct kernel_launch launches[OP_PROGRAMS_MAX];
    size_t count = 0;
    if (!is_filled_by_host(tensor))
        count = buffers->problem.op->device->fill(&buffers->problem, distribution, seed, tensor,
                                                  buffers->scratch->table, launches);
    if (!count) return fill_by_host(buffers, distribution, seed, index, tensor, err);
    if (tensor_has_gaps(tensor)) TRY(device_step_poison(buffers->device, tensor, POISON_GAP, err));
    return device_step_run(buffers->device, launches, count, err);
}

// What an in-out tensor holds before a launch is kept; each poisoning puts it back.
static int fill_in_out(struct case_buffers *buffers, const char *distribution, uint64_t seed, uint32_t index,
                       struct err *err) {
    const struct device_work *work = buffers->device->backend->work;
    struct assay_tensor before = buffers->own[index];
    const size_t bytes = (size_t)tensor_span_bytes(&before);
    if (before.access != ASSAY_INOUT) return 0;
    if (!buffers->device_before[index])
        TRY(work->scratch_alloc(buffers->device, bytes, &buffers->device_before[index], err));
    before.data = buffers->device_before[index];
    TRY(fill_input(buffers, distribution, seed, index, &before, err));
    return work->copy(buffers->device, buffers->own[index].data, before.data, bytes, err);
}

static int fill_all(struct case_buffers *buffers, const char *distribution, uint64_t seed, struct err *err) {
    for (uint32_t i = 0; i < buffers->input_count; ++i)
        TRY(fill_input(buffers, distribution, seed, i, &buffers->own[i], err));
    for (uint32_t i = buffers->input_count; i < buffers->tensor_count; ++i)
        TRY(fill_in_out(buffers, distribution, seed, i, err));
    struct tensor_hashes hashes = {0};
    TRY(device_hash(&buffers, 1, HASHED_INPUTS, &hashes, err));
    memcpy(buffers->input_hash, hashes.inputs, buffers->input_count * sizeof *buffers->input_hash);
    return 0;
}

static int device_fill(struct case_buffers *buffers, struct err *err) {
    if (!buffers->scratch)
        TRY(device_scratch_open(buffers->device, buffers->problem.op->device, &buffers->scratch, err));
    TRY(made_pool_open(buffers, buffers->seed, err));
    return fill_all(buffers, buffers->distribution, buffers->seed, err);
}

// Inputs of another seed. A distribution that gives the same values for every seed is replaced by the
// default distribution, but of a declared operator: its limits are of these inputs.
static int device_rotate(struct case_buffers *buffers, struct err *err) {
    char before[OP_TENSORS_MAX][HASH_HEX_BYTES];
    memcpy(before, buffers->input_hash, buffers->input_count * sizeof *before);
    buffers->is_rotated = !buffers->is_rotated;
    if (!buffers->is_rotated) return fill_all(buffers, buffers->distribution, buffers->seed, err);
    const uint64_t seed = case_buffers_filled_seed(buffers);
    TRY(fill_all(buffers, buffers->distribution, seed, err));
    const bool is_same = memcmp(before, buffers->input_hash, buffers->input_count * sizeof *before) == 0;
    return is_same && !reference_is_of_host(buffers) ? fill_all(buffers, OP_DISTRIBUTION_DEFAULT, seed, err)
                                                     : 0;
}

static int device_poison(struct case_buffers *buffers, enum poison poison, struct err *err) {
    for (uint32_t i = buffers->input_count; i < buffers->tensor_count; ++i)
        TRY(case_buffers_poison_on_device(buffers, i, poison, err));
    return 0;
}

static int device_poison_behind(struct case_buffers *buffers, enum poison poison, uint64_t delay_ns,
                                void **ret_staged, struct err *err) {
    *ret_staged = NULL;
    TRY(buffers->device->backend->work->delay(buffers->device, delay_ns, err));
    return device_poison(buffers, poison, err);
}

static int device_sync_to_host(struct case_buffers *buffers, bool with_inputs, struct err *err) {
    (void)buffers, (void)with_inputs, (void)err; // device kernels read the tensors in place
    return 0;
}

// ---- what a launch left ----

static int device_locate_change(struct case_buffers *buffers, uint32_t input,
                                int64_t ret_coord[ASSAY_MAX_DIMS], struct err *err) {
    struct assay_tensor fresh = buffers->own[input];
    const size_t bytes = (size_t)tensor_span_bytes(&fresh);
    uint64_t first = NONE;
    TRY(device_scratch_area(buffers->scratch, bytes, &fresh.data, err));
    TRY(fill_input(buffers, buffers->distribution, buffers->seed, input, &fresh, err));
    TRY(device_scratch_clear(buffers->scratch, 1, 0xff, err));
    TRY(device_scratch_find_difference(buffers->scratch, buffers->own[input].data, fresh.data, bytes, 0,
                                       err));
    TRY(device_scratch_read(buffers->scratch, 1, &first, err));
    const int64_t offset = first == NONE ? 0 : (int64_t)(first / dtype_bytes(fresh.dtype));
    tensor_coord_at(&fresh, offset, ret_coord);
    return 0;
}

static bool device_find_gap_written(const struct case_buffers *buffers, enum poison poison,
                                    uint32_t *ret_output, uint64_t *ret_row) {
    (void)buffers, (void)poison, (void)ret_output, (void)ret_row; // dense tensors have no gaps
    return false;
}

// Compares with zeros at a tolerance that nothing keeps: the comparison counts those that are poison.
static bool device_has_poison(struct case_buffers *buffers, enum poison poison) {
    for (uint32_t k = 0; k < case_buffers_output_count(buffers); ++k) {
        const struct assay_tensor *tensor = case_buffers_own_output(buffers, k);
        const size_t bytes = (size_t)tensor_element_count(tensor) * sizeof(double);
        struct dev_compare_part figures;
        void *zeros;
        if (device_scratch_area(buffers->scratch, bytes, &zeros, NULL) < 0 ||
            device_step_pattern(buffers->device, zeros, bytes, ZERO_WORD, NULL) < 0 ||
            device_scratch_compare(buffers->scratch,
                                   &(struct scratch_comparison){
                                       .tensor = tensor, .reference = zeros, .atol = -1, .poison = poison},
                                   &figures, NULL) < 0)
            return false; // only chooses between two sentences
        if (figures.unwritten) return true;
    }
    return false;
}

// ---- keeping outputs ----

static int device_keep_outputs(struct case_buffers *buffers, struct kept_outputs *kept, struct err *err) {
    const struct device_work *work = buffers->device->backend->work;
    for (uint32_t k = 0; k < case_buffers_output_count(buffers); ++k) {
        const struct assay_tensor *tensor = case_buffers_own_output(buffers, k);
        const size_t bytes = (size_t)tensor_span_bytes(tensor);
        if (!kept->data[k]) TRY(work->scratch_alloc(buffers->device, bytes, &kept->data[k], err));
        TRY(work->copy(buffers->device, kept->data[k], tensor->data, bytes, err));
    }
    return 0;
}

static int device_restore_outputs(struct case_buffers *buffers, const struct kept_outputs *kept,
                                  struct err *err) {
    for (uint32_t k = 0; k < case_buffers_output_count(buffers); ++k) {
        const struct assay_tensor *tensor = case_buffers_own_output(buffers, k);
        TRY(buffers->device->backend->work->copy(buffers->device, tensor->data, kept->data[k],
                                                 (size_t)tensor_span_bytes(tensor), err));
    }
    return 0;
}

static void device_drop_outputs(struct case_buffers *buffers, struct kept_outputs *kept) {
    for (uint32_t k = 0; k < case_buffers_output_count(buffers); ++k)
        buffers->device->backend->work->scratch_free(buffers->device, kept->data[k]);
    memset(kept, 0, sizeof *kept);
}

static int device_find_difference(struct case_buffers *buffers, const struct kept_outputs *kept,
                                  uint32_t *ret_output, int64_t *ret_offset, struct err *err) {
    uint64_t first[OP_TENSORS_MAX];
    const uint32_t count = case_buffers_output_count(buffers);
    TRY(device_scratch_clear(buffers->scratch, count, 0xff, err));
    for (uint32_t k = 0; k < count; ++k)
        TRY(device_scratch_find_difference(
            buffers->scratch, case_buffers_own_output(buffers, k)->data, kept->data[k],
            (size_t)tensor_span_bytes(case_buffers_own_output(buffers, k)), k, err));
    TRY(device_scratch_read(buffers->scratch, count, first, err));
    for (uint32_t k = 0; k < count; ++k) {
        if (first[k] == NONE) continue;
        *ret_output = k;
        *ret_offset = (int64_t)(first[k] / dtype_bytes(case_buffers_own_output(buffers, k)->dtype));
        return CHECK_FOUND;
    }
    return CHECK_NOT_FOUND;
}

static int device_read_element(struct case_buffers *buffers, uint32_t tensor, int64_t offset,
                               unsigned char ret[8], struct err *err) {
    const size_t bytes = dtype_bytes(buffers->own[tensor].dtype);
    return buffers->device->backend->work->copy_out(
        buffers->device, ret, (const char *)buffers->own[tensor].data + (size_t)offset * bytes, bytes, err);
}

// ---- comparing with the reference ----

// What the rules read of the inputs.
static int bring_ruled(const struct case_buffers *buffers, struct err *err) {
    for (uint32_t k = buffers->input_count; k < buffers->tensor_count; ++k) {
        const struct declared_rule *rule = declared_rule_of(buffers->problem.op, k);
        for (uint32_t i = 0; rule && i < buffers->tensor_count; ++i)
            if (rule->is_accepted || rule->picks == (int32_t)i)
                TRY(case_buffers_bring_input(buffers, i, err));
        if (rule && rule->is_accepted) break;
    }
    return case_buffers_bring_outputs(buffers, err);
}

// Whole tensors: by a rule, or with results that are not on the device.
static int compare_on_host(struct case_buffers *buffers, const struct reference *reference, uint32_t k,
                           const struct op_tolerance *tolerance, struct tensor_verdict *ret,
                           struct err *err) {
    TRY(bring_ruled(buffers, err));
    return checker_host.compare(buffers, reference->on_host, k, tolerance, ret, err);
}

static int device_compare(struct case_buffers *buffers, const struct reference *reference, uint32_t k,
                          const struct op_tolerance *tolerance, struct tensor_verdict *ret, struct err *err) {
    if (declared_rule_of(buffers->problem.op, buffers->input_count + k) || !reference->outputs[k])
        return compare_on_host(buffers, reference, k, tolerance, ret, err);
    const struct assay_tensor *tensor = case_buffers_own_output(buffers, k);
    struct dev_compare_part figures, far;
    struct op_tolerance wide;
    struct scratch_comparison comparison = {.problem = buffers->problem.name,
                                            .tensor = tensor,
                                            .reference = reference->outputs[k],
                                            .atol = tolerance->atol,
                                            .rtol = tolerance->rtol,
                                            .poison = POISON_OUTPUT,
                                            .compared_min = tensor_element_count(tensor)};
    TRY(device_scratch_compare(buffers->scratch, &comparison, &figures, err));
    const bool has_far = figures.failed && tolerance_find_far(tolerance, &wide);
    if (has_far) {
        comparison.atol = wide.atol;
        comparison.rtol = wide.rtol;
        TRY(device_scratch_compare(buffers->scratch, &comparison, &far, err));
    }
    const uint64_t index = tensor_verdict_of(&figures, has_far ? &far : NULL, tensor, tolerance, ret);
    if (index == DEV_NONE) return 0;
    TRY(reference_read(reference, k, index, &ret->error.worst_expected, err));
    // dense tensors: the dense index is the offset
    return case_buffers_read_value(buffers, buffers->input_count + k, (int64_t)index, &ret->error.worst_got,
                                   err);
}

// All rows count, since every element has been compared.
static int device_measure_rows(const struct case_buffers *buffers, const struct reference *reference,
                               const struct tensor_verdict *verdicts,
                               struct reference_same_precision ret[OP_TENSORS_MAX], struct err *err) {
    if (reference->on_host) {
        TRY(case_buffers_bring_outputs(buffers, err));
        return checker_host.measure_rows(buffers, reference->on_host, verdicts, ret, err);
    }
    memset(ret, 0, OP_TENSORS_MAX * sizeof *ret);
    for (uint32_t k = 0; k < case_buffers_output_count(buffers); ++k)
        ret[k] = (struct reference_same_precision){.max_abs = verdicts[k].error.max_abs,
                                                   .rms = verdicts[k].error.rms,
                                                   .row_count = reference->same_precision[k].row_count};
    return 0;
}

static int device_check_rows(struct case_buffers *buffers, const struct rows_wanted *rows,
                             struct slice_failure *ret, struct err *err) {
    if (!reference_is_of_host(buffers)) return reference_check_rows_device(buffers, rows, ret, err);
    TRY(bring_ruled(buffers, err));
    return checker_host.check_rows(buffers, rows, ret, err);
}

const struct checker_ops checker_device = {
    .name = "device",
    .can = device_can,
    .fill = device_fill,
    .rotate = device_rotate,
    .poison = device_poison,
    .poison_behind = device_poison_behind,
    .make_visible = device_sync_to_host,
    .hash = device_hash,
    .locate_change = device_locate_change,
    .find_gap_written = device_find_gap_written,
    .has_poison = device_has_poison,
    .keep_outputs = device_keep_outputs,
    .restore_outputs = device_restore_outputs,
    .drop_outputs = device_drop_outputs,
    .find_difference = device_find_difference,
    .read_element = device_read_element,
    .open_reference = reference_open_device,
    .compare = device_compare,
    .measure_rows = device_measure_rows,
    .check_rows = device_check_rows,
};
