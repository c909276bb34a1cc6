// SPDX-License-Identifier: Apache-2.0
//
// References in device memory, computed by the operator's device kernels: of all outputs when a case is
// opened, of some rows for other inputs. Of a declared operator the host's are copied there.
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "op/seed_stream.h"
#include "worker/check/checker_internal.h"
#include "worker/check/device_scratch.h"
#include "worker/check/same_precision.h"

#define ROWS_A_GROUP 32 // drawn rows of every head, about, plus its last row; compared with the oracle
#define WORDS_A_HASH 2
#define MEMORY_SHARE 8 // of the device's memory: larger results of the host stay there

// Memory for float64 results of all outputs, one after the other; returns the number of elements.
static uint64_t split_outputs(const struct case_buffers *buffers, double *memory,
                              double *ret[OP_TENSORS_MAX]) {
    uint64_t total = 0;
    for (uint32_t k = 0; k < case_buffers_output_count(buffers); ++k) {
        if (memory) ret[k] = memory + total;
        total += tensor_element_count(case_buffers_own_output(buffers, k));
    }
    return total;
}

// The oracle on rows row_first, row_first + row_step, ... and the last one of every group; other elements
// keep DEV_SKIP_BITS, which comparisons pass over.
static int run_oracle(const struct case_buffers *buffers, void *memory, uint32_t row_first, uint32_t row_step,
                      double *ret_outputs[OP_TENSORS_MAX], struct err *err) {
    const size_t bytes = (size_t)split_outputs(buffers, memory, ret_outputs) * sizeof(double);
    TRY(device_step_pattern(buffers->device, memory, bytes, DEV_SKIP_BITS, err));
    struct kernel_launch launches[OP_PROGRAMS_MAX];
    const size_t count = buffers->problem.op->device->oracle(&buffers->problem, buffers->own, ret_outputs,
                                                             row_first, row_step, launches);
    if (!count)
        return err_set(err, ERR_INTERNAL, "the reference of %s cannot be computed on the device",
                       buffers->problem.name);
    return device_step_run(buffers->device, launches, count, err);
}

static void slice_counts(const struct problem *problem, uint64_t *ret_groups, uint64_t *ret_rows) {
    *ret_groups = *ret_rows = 1;
    if (problem->op->slice_counts) problem->op->slice_counts(problem, ret_groups, ret_rows);
}

// ---- some rows, for other inputs ----

static uint64_t worst_of(const struct dev_compare_part *figures) {
    return figures->unwritten    ? figures->first_unwritten
           : figures->not_number ? figures->first_not_number
                                 : figures->worst_index;
}

// index: dense, which is also the offset.
static int read_failure(struct case_buffers *buffers, const double *reference, uint64_t index,
                        struct slice_failure *ret, struct err *err) {
    tensor_coord(case_buffers_own_output(buffers, ret->output), index, ret->coord);
    TRY(buffers->device->backend->work->copy_out(buffers->device, &ret->expected, reference + index,
                                                 sizeof ret->expected, err));
    return case_buffers_read_value(buffers, buffers->input_count + ret->output, (int64_t)index, &ret->got,
                                   err);
}

// enum check_search, of output k. compared_min: elements that the oracle has computed.
static int check_output(struct case_buffers *buffers, uint32_t k, const double *reference,
                        uint64_t compared_min, struct slice_failure *ret, struct err *err) {
    const struct assay_tensor *tensor = case_buffers_own_output(buffers, k);
    const struct op_tolerance tolerance = case_buffers_tolerance(buffers, k);
    struct scratch_comparison comparison = {.problem = buffers->problem.name,
                                            .tensor = tensor,
                                            .reference = reference,
                                            .atol = tolerance.atol,
                                            .rtol = tolerance.rtol,
                                            .poison = POISON_OUTPUT,
                                            .compared_min = compared_min};
    struct dev_compare_part figures;
    TRY(device_scratch_compare(buffers->scratch, &comparison, &figures, err));
    if (!figures.not_number &&
        tolerance_rows_pass(&tolerance, figures.failed, figures.compared, figures.sum_sq, figures.sum_ref_sq))
        return CHECK_NOT_FOUND;
    ret->output = k;
    TRY(read_failure(buffers, reference, worst_of(&figures), ret, err));
    if (figures.failed &&
        element_passes(ret->got, ret->expected, &tolerance)) // large, and so is its tolerance
        TRY(read_failure(buffers, reference, figures.first_failed, ret, err));
    return CHECK_FOUND;
}

// Half to one and a half times the step that gives ROWS_A_GROUP rows: a kernel cannot be right on just a grid
// of rows that it knows.
static uint32_t draw_step(uint64_t rows, uint64_t seed) {
    const uint64_t usual = rows / ROWS_A_GROUP;
    return usual < 2 ? 1 : (uint32_t)(usual / 2 + 1 + seed_below(seed, "row step", 0, usual));
}

int reference_check_rows_device(struct case_buffers *buffers, const struct rows_wanted *wanted,
                                struct slice_failure *ret, struct err *err) {
    uint64_t groups, rows;
    slice_counts(&buffers->problem, &groups, &rows);
    const uint32_t step = draw_step(rows, wanted->seed);
    const uint32_t first = (uint32_t)seed_below(wanted->seed, "first row", 0, step);
    const uint64_t left = first < rows ? rows - 1 - first : 0;
    const uint64_t computed = left / step + 1 + (left % step != 0);
    double *outputs[OP_TENSORS_MAX] = {NULL};
    void *memory;
    TRY(device_scratch_area(buffers->scratch, (size_t)split_outputs(buffers, NULL, NULL) * sizeof(double),
                            &memory, err));
    TRY(run_oracle(buffers, memory, first, step, outputs, err));
    for (uint32_t k = 0; k < case_buffers_output_count(buffers); ++k) {
        const uint64_t elements = tensor_element_count(case_buffers_own_output(buffers, k));
        const int code = check_output(buffers, k, outputs[k], elements / rows * computed, ret, err);
        if (code != CHECK_NOT_FOUND) return code;
    }
    return CHECK_NOT_FOUND;
}

// ---- the reference of a case ----

// The error of the plain kernel, on all rows.
static int measure_same_precision(struct reference *reference, const struct case_buffers *buffers,
                                  struct err *err) {
    bool is_gated[OP_TENSORS_MAX];
    const struct problem *problem = &buffers->problem;
    if (!problem->op->same_precision || !precision_find_gated(buffers, is_gated)) return 0;
    const uint32_t count = case_buffers_output_count(buffers);
    struct kernel_launch launches[OP_PROGRAMS_MAX];
    void *plain[OP_TENSORS_MAX] = {NULL};
    uint64_t groups, rows;
    slice_counts(problem, &groups, &rows);
    TRY(device_scratch_tensors(buffers->scratch, case_buffers_own_output(buffers, 0), count, plain, err));
    const size_t launch_count = problem->op->device->same_precision(problem, buffers->own, plain, launches);
    if (!launch_count)
        return err_set(err, ERR_INTERNAL, "the plain kernel cannot run %s on the device", problem->name);
    TRY(device_step_run(buffers->device, launches, launch_count, err));
    for (uint32_t k = 0; k < count; ++k) {
        struct assay_tensor tensor = *case_buffers_own_output(buffers, k);
        struct dev_compare_part figures;
        tensor.data = plain[k];
        TRY(device_scratch_compare(
            buffers->scratch,
            &(struct scratch_comparison){.problem = problem->name,
                                         .tensor = &tensor,
                                         .reference = reference->outputs[k],
                                         .poison = POISON_OUTPUT,
                                         .compared_min = tensor_element_count(&tensor)},
            &figures, err));
        reference->max_ref[k] = figures.max_ref;
        if (!is_gated[k] || !figures.numbers) continue;
        reference->same_precision[k] =
            (struct reference_same_precision){.max_abs = figures.max_abs,
                                              .rms = sqrt(figures.sum_sq / (double)figures.numbers),
                                              .ref_rms = sqrt(figures.sum_ref_sq / (double)figures.numbers),
                                              .row_count = groups * rows};
    }
    return 0;
}

static int hash_reference(const struct reference *reference, const struct case_buffers *buffers,
                          uint64_t ret[WORDS_A_HASH], struct err *err) {
    const size_t bytes = (size_t)split_outputs(buffers, NULL, NULL) * sizeof(double);
    TRY(device_scratch_clear(buffers->scratch, WORDS_A_HASH, 0, err));
    TRY(device_scratch_hash(buffers->scratch, reference->scratch, bytes, 0, err));
    return device_scratch_read(buffers->scratch, WORDS_A_HASH, ret, err);
}

int reference_is_changed(const struct reference *reference, const struct case_buffers *buffers,
                         struct err *err) {
    uint64_t sums[WORDS_A_HASH];
    if (!reference->scratch) return CHECK_NOT_FOUND; // files are mapped read-only
    TRY(hash_reference(reference, buffers, sums, err));
    return memcmp(sums, reference->sums, sizeof sums) == 0 ? CHECK_NOT_FOUND : CHECK_FOUND;
}

static int alloc_outputs(struct reference *reference, const struct case_buffers *buffers,
                         double *ret[OP_TENSORS_MAX], struct err *err) {
    TRY(buffers->device->backend->work->scratch_alloc(
        buffers->device, (size_t)split_outputs(buffers, NULL, NULL) * sizeof(double), &reference->scratch,
        err));
    (void)split_outputs(buffers, reference->scratch, ret);
    for (uint32_t k = 0; k < reference->output_count; ++k) {
        reference->outputs[k] = ret[k];
        reference->element_count[k] = tensor_element_count(case_buffers_own_output(buffers, k));
    }
    return 0;
}

static int compute(struct reference *reference, const struct case_buffers *buffers, struct err *err) {
    double *outputs[OP_TENSORS_MAX] = {NULL};
    reference->output_count = case_buffers_output_count(buffers);
    TRY(alloc_outputs(reference, buffers, outputs, err));
    TRY(run_oracle(buffers, reference->scratch, 0, 1, outputs, err));
    TRY(hash_reference(reference, buffers, reference->sums, err));
    return measure_same_precision(reference, buffers, err);
}

static int copy_of_host(struct reference *reference, const struct case_buffers *buffers, const char *dir,
                        struct err *err) {
    const struct device_work *work = buffers->device->backend->work;
    struct reference *from = reference->on_host = mem_alloc(sizeof *from);
    double *outputs[OP_TENSORS_MAX] = {NULL};
    TRY(reference_open_host(from, buffers, dir, err)); // of the case's own, this one, nothing is known yet
    reference->output_count = from->output_count;
    memcpy(reference->same_precision, from->same_precision, sizeof reference->same_precision);
    reference->decides = from->decides;
    reference->is_loaded = from->is_loaded;
    for (uint32_t k = 0; k < reference->output_count; ++k) reference->max_ref[k] = precision_max_ref(from, k);
    if (split_outputs(buffers, NULL, NULL) * sizeof(double) >
        buffers->device->info.memory_bytes / MEMORY_SHARE)
        return 0;
    TRY(alloc_outputs(reference, buffers, outputs, err));
    for (uint32_t k = 0; k < reference->output_count; ++k)
        TRY(work->copy_in(buffers->device, outputs[k], from->outputs[k],
                          (size_t)reference->element_count[k] * sizeof(double), err));
    return hash_reference(reference, buffers, reference->sums, err);
}

int reference_open_device(struct reference *ret, const struct case_buffers *buffers, const char *dir,
                          struct err *err) {
    memset(ret, 0, sizeof *ret);
    ret->device = buffers->device;
    const int code = reference_is_of_host(buffers)
                         ? copy_of_host(ret, buffers, dir, err)
                         : compute(ret, buffers, err); // takes less time than reading a file
    if (code < 0) reference_close(ret);
    return code;
}
