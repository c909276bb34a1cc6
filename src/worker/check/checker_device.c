// SPDX-License-Identifier: Apache-2.0
//
// Tensors worked on where they lie, by device kernels on the device: dense ones of operators that describe
// their host work as programs (struct op_device). Nothing but single elements, sums and parts of comparisons
// travels.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "op/dtype.h"
#include "worker/check/case_buffers.h"
#include "worker/check/device_scratch.h"
#include "worker/check/reference.h"
#include "worker/check/same_precision.h"

#define ROWS_A_GROUP                                                                                         \
    32 // of other inputs, held against the oracle: of every head, drawn, the last one among them
#define WORDS_A_HASH 2
#define SETS_A_HASH  (SCRATCH_WORDS / (WORDS_A_HASH * OP_TENSORS_MAX))
#define ZERO_WORD    0u
#define NONE         UINT64_MAX

static const struct assay_tensor *output_at(const struct case_buffers *buffers, uint32_t k) {
    return &buffers->own[buffers->input_count + k];
}

static const struct op_device *op_device_of(const struct case_buffers *buffers) {
    return buffers->problem.op->device;
}

// ---- is all of it possible here? ----

static bool is_contiguous(const struct assay_tensor *tensor) {
    return tensor_span_bytes(tensor) == tensor_packed_bytes(tensor);
}

// Comparisons walk output and reference side by side.
static bool is_in_shape_order(const struct assay_tensor *tensor) {
    int64_t stride = 1;
    for (int32_t i = tensor->dim_count - 1; i >= 0; --i) {
        if (tensor->shape[i] > 1 && tensor->stride[i] != stride) return false;
        stride *= tensor->shape[i];
    }
    return true;
}

// What is small and no business of programs (scales) is filled by the host and copied.
static bool is_filled_by_host(const struct assay_tensor *tensor) {
    return role_is_statistic(tensor->role);
}

static bool has_two_x(const struct case_buffers *buffers) {
    const struct operator_def *op = buffers->problem.op;
    bool is_gated = false;
    for (uint32_t k = 0; k < case_buffers_output_count(buffers); ++k)
        is_gated |= op->tolerance(buffers->problem.params, buffers->input_count + k).is_two_x_gated;
    return op->same_precision && is_gated;
}

static bool has_programs(const struct case_buffers *buffers) {
    const struct op_device *op = op_device_of(buffers);
    struct kernel_launch programs[OP_PROGRAMS_MAX];
    double *reference[OP_TENSORS_MAX];
    void *plain[OP_TENSORS_MAX];
    for (uint32_t k = 0; k < case_buffers_output_count(buffers); ++k)
        reference[k] = plain[k] = output_at(buffers, k)->data; // asked only, never run
    for (uint32_t i = 0; i < buffers->input_count; ++i)
        if (!is_filled_by_host(&buffers->own[i]) &&
            (!op->fill || !op->fill(&buffers->problem, buffers->distribution, buffers->seed, &buffers->own[i],
                                    plain[0], programs)))
            return false;
    if (!op->oracle || !op->oracle(&buffers->problem, buffers->own, reference, 0, 1, programs)) return false;
    return !has_two_x(buffers) ||
           (op->same_precision && op->same_precision(&buffers->problem, buffers->own, plain, programs));
}

bool checker_device_can(const struct case_buffers *buffers) {
    if (!buffers->device->backend->work || !op_device_of(buffers) ||
        buffers->memory_layout == MEMORY_LAYOUT_PADDED)
        return false;
    for (uint32_t i = 0; i < buffers->tensor_count; ++i)
        if (!is_contiguous(&buffers->own[i])) return false;
    for (uint32_t k = 0; k < case_buffers_output_count(buffers); ++k)
        if (!is_in_shape_order(output_at(buffers, k))) return false;
    return has_programs(buffers);
}

// ---- contents ----

static int fill_by_host(struct case_buffers *buffers, const char *distribution, uint64_t seed, uint32_t index,
                        const struct assay_tensor *tensor, struct err *err) {
    const size_t bytes = (size_t)tensor_span_bytes(tensor);
    struct assay_tensor local = *tensor;
    local.data = mem_try_array(bytes, 1);
    if (!local.data)
        return err_set(err, ERR_UNAVAILABLE, "no memory to fill '%s' of %s", role_name(tensor->role),
                       buffers->problem.name);
    int code = buffers->problem.op->fill(&buffers->problem, distribution, seed, index, &local, err);
    if (code == 0)
        code = buffers->device->backend->work->copy_in(buffers->device, tensor->data, local.data, bytes, err);
    free(local.data);
    return code;
}

static int fill_input(struct case_buffers *buffers, const char *distribution, uint64_t seed, uint32_t index,
                      const struct assay_tensor *tensor, struct err *err) {
    struct kernel_launch programs[OP_PROGRAMS_MAX];
    if (is_filled_by_host(tensor)) return fill_by_host(buffers, distribution, seed, index, tensor, err);
    const size_t count = op_device_of(buffers)->fill(&buffers->problem, distribution, seed, tensor,
                                                     buffers->scratch->table, programs);
    if (!count)
        return err_set(err, ERR_INTERNAL, "inputs '%s' of %s cannot be made on the device", distribution,
                       buffers->problem.name);
    return device_step_run(buffers->device, programs, count, err);
}

static int hash(struct case_buffers *const *sets, uint32_t set_count, int what, struct tensor_hashes *ret,
                struct err *err);

static int fill_all(struct case_buffers *buffers, const char *distribution, uint64_t seed, struct err *err) {
    for (uint32_t i = 0; i < buffers->input_count; ++i)
        TRY(fill_input(buffers, distribution, seed, i, &buffers->own[i], err));
    struct tensor_hashes hashes = {0};
    TRY(hash(&buffers, 1, HASHED_INPUTS, &hashes, err));
    memcpy(buffers->input_hash, hashes.inputs, sizeof buffers->input_hash);
    return 0;
}

static int fill(struct case_buffers *buffers, struct err *err) {
    if (!buffers->scratch)
        TRY(device_scratch_open(buffers->device, op_device_of(buffers), &buffers->scratch, err));
    return fill_all(buffers, buffers->distribution, buffers->seed, err);
}

static bool is_same_everywhere(const struct case_buffers *buffers, char (*before)[HASH_HEX_BYTES]) {
    return memcmp(before, buffers->input_hash, buffers->input_count * sizeof *before) == 0;
}

// Data of another seed; where a family is the same for every seed, those of the family that every operator
// has.
static int rotate(struct case_buffers *buffers, struct err *err) {
    char before[OP_TENSORS_MAX][HASH_HEX_BYTES];
    memcpy(before, buffers->input_hash, sizeof before);
    buffers->is_rotated = !buffers->is_rotated;
    if (!buffers->is_rotated) return fill_all(buffers, buffers->distribution, buffers->seed, err);
    const uint64_t seed = rng_u64(buffers->seed, rng_stream("other inputs"), 0);
    TRY(fill_all(buffers, buffers->distribution, seed, err));
    return is_same_everywhere(buffers, before) ? fill_all(buffers, OP_DISTRIBUTION_DEFAULT, seed, err) : 0;
}

static int poison_outputs(struct case_buffers *buffers, enum poison poison, struct err *err) {
    for (uint32_t k = 0; k < case_buffers_output_count(buffers); ++k) {
        const struct assay_tensor *tensor = output_at(buffers, k);
        TRY(device_step_pattern(buffers->device, tensor->data, (size_t)tensor_span_bytes(tensor),
                                poison_word(tensor->dtype, poison), err));
    }
    return 0;
}

static int poison_behind(struct case_buffers *buffers, enum poison poison, uint64_t delay_ns,
                         void **ret_staged, struct err *err) {
    *ret_staged = NULL;
    TRY(buffers->device->backend->work->delay(buffers->device, delay_ns, err));
    return poison_outputs(buffers, poison, err);
}

static int look(struct case_buffers *buffers, bool with_inputs, struct err *err) {
    (void)buffers, (void)with_inputs, (void)err; // device kernels see what lies there
    return 0;
}

// ---- looking at what a launch left ----

// A word of a tensor's sums: a tensor has its place whether it is hashed or not.
static uint32_t word_of(uint32_t set, uint32_t tensor) {
    return (set * OP_TENSORS_MAX + tensor) * WORDS_A_HASH;
}

static bool is_hashed(const struct case_buffers *buffers, uint32_t tensor, int what) {
    return what & (tensor < buffers->input_count ? HASHED_INPUTS : HASHED_OUTPUTS);
}

static void format_sums(const uint64_t *sums, char ret_hex[HASH_HEX_BYTES]) {
    snprintf(ret_hex, HASH_HEX_BYTES, "%016llx%016llx", (unsigned long long)sums[0],
             (unsigned long long)sums[1]);
}

static void take_hashes(const struct case_buffers *buffers, const uint64_t *words, int what,
                        struct tensor_hashes *ret) {
    const uint32_t first = buffers->input_count;
    for (uint32_t i = 0; i < first && (what & HASHED_INPUTS); ++i)
        format_sums(words + word_of(0, i), ret->inputs[i]);
    if (what & HASHED_OUTPUTS)
        hash_bytes_hex(words + word_of(0, first),
                       case_buffers_output_count(buffers) * WORDS_A_HASH * sizeof *words, ret->outputs);
}

static int hash_few(struct case_buffers *const *sets, uint32_t set_count, int what, struct tensor_hashes *ret,
                    struct err *err) {
    struct device_scratch *scratch = sets[0]->scratch;
    uint64_t words[SCRATCH_WORDS];
    const uint32_t word_count = word_of(set_count, 0);
    TRY(device_scratch_clear(scratch, word_count, 0, err));
    for (uint32_t s = 0; s < set_count; ++s)
        for (uint32_t i = 0; i < sets[s]->tensor_count; ++i)
            if (is_hashed(sets[s], i, what))
                TRY(device_scratch_hash(scratch, sets[s]->own[i].data,
                                        (size_t)tensor_span_bytes(&sets[s]->own[i]), word_of(s, i), err));
    TRY(device_scratch_read(scratch, word_count, words, err));
    for (uint32_t s = 0; s < set_count; ++s) take_hashes(sets[s], words + word_of(s, 0), what, &ret[s]);
    return 0;
}

static int hash(struct case_buffers *const *sets, uint32_t set_count, int what, struct tensor_hashes *ret,
                struct err *err) {
    for (uint32_t done = 0; done < set_count; done += SETS_A_HASH) {
        const uint32_t left = set_count - done, count = left < SETS_A_HASH ? left : SETS_A_HASH;
        TRY(hash_few(sets + done, count, what, ret + done, err));
    }
    return 0;
}

static int locate_change(struct case_buffers *buffers, uint32_t input, int64_t ret_coord[ASSAY_MAX_DIMS],
                         struct err *err) {
    struct assay_tensor fresh = buffers->own[input];
    const size_t bytes = (size_t)tensor_span_bytes(&fresh);
    uint64_t first = NONE;
    TRY(device_scratch_area(buffers->scratch, SCRATCH_AREA_WORK, bytes, &fresh.data, err));
    TRY(fill_input(buffers, buffers->distribution, buffers->seed, input, &fresh, err));
    TRY(device_scratch_clear(buffers->scratch, 1, 0xff, err));
    TRY(device_scratch_find_difference(buffers->scratch, buffers->own[input].data, fresh.data, bytes, 0,
                                       err));
    TRY(device_scratch_read(buffers->scratch, 1, &first, err));
    const int64_t offset = first == NONE ? 0 : (int64_t)(first / dtype_bytes(fresh.dtype));
    tensor_coord_at(&fresh, offset, ret_coord);
    return 0;
}

static int find_gap_written(const struct case_buffers *buffers, enum poison poison, uint64_t *ret_row) {
    (void)buffers, (void)poison, (void)ret_row; // dense tensors have no gaps
    return -1;
}

// Held against zeros with room for every number: what fails is no number, and is poison or not.
static bool has_poison(struct case_buffers *buffers, enum poison poison) {
    for (uint32_t k = 0; k < case_buffers_output_count(buffers); ++k) {
        const struct assay_tensor *tensor = output_at(buffers, k);
        const size_t bytes = (size_t)tensor_element_count(tensor) * sizeof(double);
        struct compare_figures figures;
        void *zeros;
        if (device_scratch_area(buffers->scratch, SCRATCH_AREA_WORK, bytes, &zeros, NULL) < 0 ||
            device_step_pattern(buffers->device, zeros, bytes, ZERO_WORD, NULL) < 0 ||
            device_scratch_compare(buffers->scratch,
                                   &(struct scratch_comparison){tensor, zeros, INFINITY, 0, poison}, &figures,
                                   NULL) < 0)
            return false; // only chooses between two sentences
        if (figures.unwritten_count) return true;
    }
    return false;
}

// ---- keeping outputs: one after the other in the scratch's second area ----

static size_t kept_bytes(const struct assay_tensor *tensor) {
    return ((size_t)tensor_span_bytes(tensor) + 255) / 256 * 256;
}

static int keep_outputs(struct case_buffers *buffers, struct kept_outputs *kept, struct err *err) {
    size_t total = 0;
    for (uint32_t k = 0; k < case_buffers_output_count(buffers); ++k)
        total += kept_bytes(output_at(buffers, k));
    void *memory;
    TRY(device_scratch_area(buffers->scratch, SCRATCH_AREA_KEPT, total, &memory, err));
    char *at = memory;
    for (uint32_t k = 0; k < case_buffers_output_count(buffers); ++k) {
        const struct assay_tensor *tensor = output_at(buffers, k);
        kept->data[k] = at;
        TRY(buffers->device->backend->work->copy(buffers->device, at, tensor->data,
                                                 (size_t)tensor_span_bytes(tensor), err));
        at += kept_bytes(tensor);
    }
    return 0;
}

static int restore_outputs(struct case_buffers *buffers, const struct kept_outputs *kept, struct err *err) {
    for (uint32_t k = 0; k < case_buffers_output_count(buffers); ++k) {
        const struct assay_tensor *tensor = output_at(buffers, k);
        TRY(buffers->device->backend->work->copy(buffers->device, tensor->data, kept->data[k],
                                                 (size_t)tensor_span_bytes(tensor), err));
    }
    return 0;
}

static void drop_outputs(struct case_buffers *buffers, struct kept_outputs *kept) {
    (void)buffers; // the area stays with the scratch
    memset(kept, 0, sizeof *kept);
}

static int find_difference(struct case_buffers *buffers, const struct kept_outputs *kept,
                           uint32_t *ret_output, int64_t *ret_offset, struct err *err) {
    uint64_t first[OP_TENSORS_MAX];
    const uint32_t count = case_buffers_output_count(buffers);
    TRY(device_scratch_clear(buffers->scratch, count, 0xff, err));
    for (uint32_t k = 0; k < count; ++k)
        TRY(device_scratch_find_difference(buffers->scratch, output_at(buffers, k)->data, kept->data[k],
                                           (size_t)tensor_span_bytes(output_at(buffers, k)), k, err));
    TRY(device_scratch_read(buffers->scratch, count, first, err));
    for (uint32_t k = 0; k < count; ++k) {
        if (first[k] == NONE) continue;
        *ret_output = k;
        *ret_offset = (int64_t)(first[k] / dtype_bytes(output_at(buffers, k)->dtype));
        return 1;
    }
    return 0;
}

static int read_element(struct case_buffers *buffers, uint32_t tensor, int64_t offset, unsigned char ret[8],
                        struct err *err) {
    const size_t bytes = dtype_bytes(buffers->own[tensor].dtype);
    return buffers->device->backend->work->copy_out(
        buffers->device, ret, (const char *)buffers->own[tensor].data + (size_t)offset * bytes, bytes, err);
}

// ---- against the reference ----

// A reference that was not computed would pass whatever it is held against.
static int demand_compared(const struct case_buffers *buffers, const struct compare_figures *figures,
                           uint64_t least, struct err *err) {
    if (figures->compared_count >= least) return 0;
    return err_set(
        err, ERR_INTERNAL,
        "only %llu of %llu elements of %s have a reference: its oracle on the device did not run as "
        "it must",
        (unsigned long long)figures->compared_count, (unsigned long long)least, buffers->problem.name);
}

// The value of an output's element, by its dense index (which is that of memory here).
static int read_value(struct case_buffers *buffers, uint32_t k, uint64_t index, double *ret,
                      struct err *err) {
    unsigned char bytes[8];
    TRY(read_element(buffers, buffers->input_count + k, (int64_t)index, bytes, err));
    *ret = dtype_load(output_at(buffers, k)->dtype, bytes);
    return 0;
}

static int compare(struct case_buffers *buffers, const struct reference *reference, uint32_t k,
                   const struct op_tolerance *tolerance, struct tensor_verdict *ret, struct err *err) {
    const struct assay_tensor *tensor = output_at(buffers, k);
    struct compare_figures figures;
    const struct scratch_comparison comparison = {tensor, reference->outputs[k], tolerance->atol,
                                                  tolerance->rtol, POISON_OUTPUT};
    TRY(device_scratch_compare(buffers->scratch, &comparison, &figures, err));
    TRY(demand_compared(buffers, &figures, tensor_element_count(tensor), err));
    const uint64_t index = compare_figures_judge(&figures, tensor, tolerance, ret);
    if (index == COMPARE_NO_INDEX) return 0;
    TRY(reference_read(reference, k, index, &ret->error.worst_expected, err));
    return read_value(buffers, k, index, &ret->error.worst_got, err);
}

// Everything has been compared: all rows count.
static void measure_rows(const struct case_buffers *buffers, const struct reference *reference,
                         const struct tensor_verdict *verdicts,
                         struct reference_same_precision ret[OP_TENSORS_MAX]) {
    memset(ret, 0, OP_TENSORS_MAX * sizeof *ret);
    for (uint32_t k = 0; k < case_buffers_output_count(buffers); ++k)
        ret[k] = (struct reference_same_precision){.max_abs = verdicts[k].error.max_abs,
                                                   .rms = verdicts[k].error.rms,
                                                   .row_count = reference->same_precision[k].row_count};
}

// Memory for float64 results of all outputs.
static uint64_t split_outputs(const struct case_buffers *buffers, double *memory,
                              double *ret[OP_TENSORS_MAX]) {
    uint64_t total = 0;
    for (uint32_t k = 0; k < case_buffers_output_count(buffers); ++k) {
        if (memory) ret[k] = memory + total;
        total += tensor_element_count(output_at(buffers, k));
    }
    return total;
}

static int run_oracle(const struct case_buffers *buffers, double *const *outputs, uint32_t row_first,
                      uint32_t row_step, struct err *err) {
    struct kernel_launch programs[OP_PROGRAMS_MAX];
    const size_t count = op_device_of(buffers)->oracle(&buffers->problem, buffers->own, outputs, row_first,
                                                       row_step, programs);
    if (!count)
        return err_set(err, ERR_INTERNAL, "the reference of %s cannot be computed on the device",
                       buffers->problem.name);
    return device_step_run(buffers->device, programs, count, err);
}

// Of so many rows of a group so many have been computed.
struct rows_reference {
    double *outputs[OP_TENSORS_MAX];
    uint64_t rows, computed;
};

// A type whose tolerance lets single elements go gets the same mercy here.
static int judge_rows(struct case_buffers *buffers, uint32_t k, const struct rows_reference *rows,
                      struct slice_failure *ret, struct err *err) {
    const double *reference = rows->outputs[k];
    const struct assay_tensor *tensor = output_at(buffers, k);
    const struct op_tolerance tolerance =
        buffers->problem.op->tolerance(buffers->problem.params, buffers->input_count + k);
    struct compare_figures figures;
    const struct scratch_comparison comparison = {tensor, reference, tolerance.atol, tolerance.rtol,
                                                  POISON_OUTPUT};
    TRY(device_scratch_compare(buffers->scratch, &comparison, &figures, err));
    TRY(demand_compared(buffers, &figures, tensor_element_count(tensor) / rows->rows * rows->computed, err));
    const double allowed = ceil((1 - tolerance.min_pass_fraction) * (double)figures.compared_count);
    if ((double)figures.failed_count <= allowed) return 0;
    ret->output = k;
    tensor_coord(tensor, figures.first_failed, ret->coord);
    TRY(buffers->device->backend->work->copy_out(
        buffers->device, &ret->expected, reference + figures.first_failed, sizeof ret->expected, err));
    TRY(read_value(buffers, k, figures.first_failed, &ret->got, err));
    return 1;
}

// Rows first, first + step, ... and the last one.
static uint64_t count_rows(uint64_t rows, uint64_t first, uint64_t step) {
    if (first >= rows) return 1;
    return (rows - 1 - first) / step + 1 + ((rows - 1 - first) % step != 0);
}

static int check_rows(struct case_buffers *buffers, const struct rows_wanted *wanted,
                      struct slice_failure *ret, struct err *err) {
    const struct operator_def *op = buffers->problem.op;
    uint64_t groups = 1, rows = 1;
    if (op->slice_counts) op->slice_counts(buffers->problem.params, &groups, &rows);
    const uint32_t row_step = rows > ROWS_A_GROUP ? (uint32_t)(rows / ROWS_A_GROUP) : 1;
    const uint32_t row_first = (uint32_t)rng_below(wanted->seed, rng_stream("first row"), 0, row_step);
    const size_t bytes = (size_t)split_outputs(buffers, NULL, NULL) * sizeof(double);
    struct rows_reference reference = {.rows = rows, .computed = count_rows(rows, row_first, row_step)};
    void *memory;
    TRY(device_scratch_area(buffers->scratch, SCRATCH_AREA_WORK, bytes, &memory, err));
    TRY(device_step_pattern(buffers->device, memory, bytes, DEV_SKIP_BITS, err));
    split_outputs(buffers, memory, reference.outputs);
    TRY(run_oracle(buffers, reference.outputs, row_first, row_step, err));
    for (uint32_t k = 0; k < case_buffers_output_count(buffers); ++k) {
        const int code = judge_rows(buffers, k, &reference, ret, err);
        if (code) return code;
    }
    return 0;
}

// ---- the reference ----

// What the plain kernel is off, on all rows.
static int measure_plain(struct reference *reference, const struct case_buffers *buffers, uint32_t k,
                         void *plain, struct err *err) {
    struct assay_tensor tensor = *output_at(buffers, k);
    struct compare_figures figures;
    uint64_t groups = 1, rows = 1;
    tensor.data = plain;
    const struct scratch_comparison comparison = {&tensor, reference->outputs[k], 0, 0, POISON_OUTPUT};
    TRY(device_scratch_compare(buffers->scratch, &comparison, &figures, err));
    TRY(demand_compared(buffers, &figures, tensor_element_count(&tensor), err));
    reference->max_ref[k] = figures.max_ref;
    const struct operator_def *op = buffers->problem.op;
    if (!op->tolerance(buffers->problem.params, buffers->input_count + k).is_two_x_gated) return 0;
    if (op->slice_counts) op->slice_counts(buffers->problem.params, &groups, &rows);
    const bool has_numbers = figures.number_count > 0;
    reference->same_precision[k] = (struct reference_same_precision){
        .max_abs = has_numbers ? figures.max_abs : 0,
        .rms = has_numbers ? sqrt(figures.sum_square / (double)figures.number_count) : 0,
        .row_count = has_numbers ? groups * rows : 0};
    return 0;
}

static int measure_same_precision(struct reference *reference, const struct case_buffers *buffers,
                                  struct err *err) {
    if (!has_two_x(buffers)) return 0;
    struct kernel_launch programs[OP_PROGRAMS_MAX];
    void *plain[OP_TENSORS_MAX] = {NULL}, *memory;
    const uint32_t count = case_buffers_output_count(buffers);
    size_t total = 0;
    for (uint32_t k = 0; k < count; ++k) total += kept_bytes(output_at(buffers, k));
    TRY(device_scratch_area(buffers->scratch, SCRATCH_AREA_WORK, total, &memory, err));
    char *at = memory;
    for (uint32_t k = 0; k < count; ++k) {
        plain[k] = at;
        at += kept_bytes(output_at(buffers, k));
    }
    const size_t program_count =
        op_device_of(buffers)->same_precision(&buffers->problem, buffers->own, plain, programs);
    if (!program_count)
        return err_set(err, ERR_INTERNAL, "the plain kernel cannot run %s on the device",
                       buffers->problem.name);
    TRY(device_step_run(buffers->device, programs, program_count, err));
    for (uint32_t k = 0; k < count; ++k) TRY(measure_plain(reference, buffers, k, plain[k], err));
    return 0;
}

static int sum_reference(const struct reference *reference, const struct case_buffers *buffers,
                         uint64_t ret[2], struct err *err) {
    const size_t bytes = (size_t)split_outputs(buffers, NULL, NULL) * sizeof(double);
    TRY(device_scratch_clear(buffers->scratch, WORDS_A_HASH, 0, err));
    TRY(device_scratch_hash(buffers->scratch, reference->scratch, bytes, 0, err));
    return device_scratch_read(buffers->scratch, WORDS_A_HASH, ret, err);
}

int reference_is_changed(const struct reference *reference, const struct case_buffers *buffers,
                         struct err *err) {
    uint64_t sums[WORDS_A_HASH];
    if (!reference->device) return 0; // files are mapped read-only
    TRY(sum_reference(reference, buffers, sums, err));
    return memcmp(sums, reference->sums, sizeof sums) != 0;
}

static int compute_reference(struct reference *reference, const struct case_buffers *buffers,
                             struct err *err) {
    double *outputs[OP_TENSORS_MAX] = {NULL};
    const uint64_t total = split_outputs(buffers, NULL, NULL);
    TRY(buffers->device->backend->work->scratch_alloc(buffers->device, (size_t)total * sizeof(double),
                                                      &reference->scratch, err));
    split_outputs(buffers, reference->scratch, outputs);
    for (uint32_t k = 0; k < reference->output_count; ++k) {
        reference->outputs[k] = outputs[k];
        reference->element_count[k] = tensor_element_count(output_at(buffers, k));
    }
    TRY(device_step_pattern(buffers->device, reference->scratch, (size_t)total * sizeof(double),
                            DEV_SKIP_BITS, err));
    TRY(run_oracle(buffers, outputs, 0, 1, err));
    TRY(sum_reference(reference, buffers, reference->sums, err));
    return measure_same_precision(reference, buffers, err);
}

int reference_open_device(struct reference *ret, const struct case_buffers *buffers, const char *dir,
                          struct err *err) {
    (void)dir; // computing it takes less time than reading it
    memset(ret, 0, sizeof *ret);
    ret->device = buffers->device;
    ret->output_count = case_buffers_output_count(buffers);
    const int code = compute_reference(ret, buffers, err);
    if (code < 0) reference_close(ret);
    return code;
}

const struct checker_ops checker_device = {
    .name = "device",
    .fill = fill,
    .rotate = rotate,
    .poison = poison_outputs,
    .poison_behind = poison_behind,
    .look = look,
    .hash = hash,
    .locate_change = locate_change,
    .find_gap_written = find_gap_written,
    .has_poison = has_poison,
    .keep_outputs = keep_outputs,
    .restore_outputs = restore_outputs,
    .drop_outputs = drop_outputs,
    .find_difference = find_difference,
    .read_element = read_element,
    .open_reference = reference_open_device,
    .compare = compare,
    .measure_rows = measure_rows,
    .check_rows = check_rows,
};
