// SPDX-License-Identifier: Apache-2.0
//
// See declared_precision.h.
#include "worker/check/declared_precision.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "op/dtype.h"
#include "worker/check/declared_reference.h"

static void add_errors(const double *values, const double *right, size_t count, struct error_sums *to) {
    for (size_t i = 0; i < count; ++i) {
        if (!isfinite(right[i])) continue; // such elements are compared exactly, elsewhere
        const double size = fabs(values[i] - right[i]);
        to->max_abs = isnan(to->max_abs) || size <= to->max_abs ? to->max_abs : size; // NaN stays
        to->sum_square += size * size;
        to->ref_sum_square += right[i] * right[i];
        ++to->count;
    }
}

static size_t row_length(const struct assay_tensor *tensor) {
    return tensor->dim_count ? (size_t)tensor->shape[tensor->dim_count - 1] : 1;
}

static void add_tensor(const struct assay_tensor *tensor, const double *right, struct error_sums *to) {
    const size_t row = row_length(tensor);
    const uint64_t count = tensor_element_count(tensor);
    double *values = mem_alloc(row * sizeof *values);
    for (uint64_t first = 0; first < count; first += row) {
        int64_t coord[ASSAY_MAX_DIMS];
        tensor_coord(tensor, first, coord);
        const char *at =
            (const char *)tensor->data + (size_t)tensor_offset(tensor, coord) * dtype_bytes(tensor->dtype);
        dtype_load_row(tensor->dtype, at, row, values);
        add_errors(values, right + first, row, to);
    }
    free(values);
}

static struct reference_same_precision figures_of(const struct assay_tensor *tensor,
                                                  const struct error_sums *sums) {
    struct reference_same_precision ret = precision_figures(sums);
    ret.row_count = sums->count ? tensor_element_count(tensor) / row_length(tensor) : 0;
    return ret;
}

// The yardstick's results, dense; *ret_memory is the caller's to free. Only where the rule applies.
static int run_single(const struct case_buffers *buffers, double *ret[OP_TENSORS_MAX], double **ret_memory,
                      struct err *err) {
    const uint32_t count = case_buffers_output_count(buffers);
    uint64_t total = 0;
    for (uint32_t k = 0; k < count; ++k) total += tensor_element_count(case_buffers_host_output(buffers, k));
    double *at = *ret_memory = mem_try_array((size_t)total, sizeof *at);
    if (!at)
        return err_set(err, ERR_UNAVAILABLE, "no memory for the reference of %s in single precision",
                       buffers->problem.name);
    for (uint32_t k = 0; k < count; ++k) {
        ret[k] = at;
        at += tensor_element_count(case_buffers_host_output(buffers, k));
    }
    return declared_reference_run(buffers, REFERENCE_SINGLE, ret, err);
}

int declared_precision_measure(const struct case_buffers *buffers, const struct reference *reference,
                               struct reference_same_precision ret[OP_TENSORS_MAX], struct err *err) {
    bool is_gated[OP_TENSORS_MAX];
    double *single[OP_TENSORS_MAX], *memory = NULL;
    if (!same_precision_find_gated(buffers, is_gated)) return 0;
    const int code = run_single(buffers, single, &memory, err);
    for (uint32_t k = 0; k < case_buffers_output_count(buffers) && code == 0; ++k) {
        const struct assay_tensor *tensor = case_buffers_host_output(buffers, k);
        struct error_sums sums = {0};
        if (!is_gated[k]) continue;
        add_errors(single[k], reference->outputs[k], tensor_element_count(tensor), &sums);
        if (isfinite(sums.max_abs)) ret[k] = figures_of(tensor, &sums);
    }
    free(memory);
    return code;
}

void declared_precision_sample(const struct case_buffers *buffers, const struct reference *reference,
                               struct reference_same_precision ret[OP_TENSORS_MAX]) {
    for (uint32_t k = 0; k < case_buffers_output_count(buffers); ++k) {
        const struct assay_tensor *tensor = case_buffers_host_output(buffers, k);
        struct error_sums sums = {0};
        if (!reference->same_precision[k].row_count) continue;
        add_tensor(tensor, reference->outputs[k], &sums);
        ret[k] = figures_of(tensor, &sums);
    }
}

static void add_yardstick(const struct reference_same_precision *single, uint64_t count,
                          struct error_sums *to) {
    to->max_abs = fmax(to->max_abs, single->max_abs);
    to->sum_square += single->rms * single->rms * (double)count;
    to->ref_sum_square += single->ref_rms * single->ref_rms * (double)count;
    to->count += count;
}

void declared_precision_add(const struct case_buffers *buffers, const struct reference *yardstick,
                            double *const *right, struct precision_tally *tally) {
    for (uint32_t k = 0; k < case_buffers_output_count(buffers); ++k) {
        const struct assay_tensor *tensor = case_buffers_host_output(buffers, k);
        const uint64_t before = tally->kernel[k].count;
        if (!yardstick->same_precision[k].row_count) continue;
        add_tensor(tensor, right[k], &tally->kernel[k]);
        add_yardstick(&yardstick->same_precision[k], tally->kernel[k].count - before, &tally->plain[k]);
        tally->max_ref[k] = fmax(tally->max_ref[k], same_precision_max_ref(yardstick, k));
        tally->row_count[k] += tensor_element_count(tensor) / row_length(tensor);
    }
}
