// SPDX-License-Identifier: Apache-2.0
//
// Comparing an output with its reference: the figures and the verdict that follows from them; on the host,
// rows over threads, figures of one block of rows at a time, added up in the order of blocks.
#include "worker/check/tensor_compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "op/dtype.h"

#define ROW_CHUNK 512 // elements converted at a time
#define ROWS_L2   4   // of few rows, times what a whole tensor may have

// ---- figures ----

static double correlation(const struct dev_compare_part *f) {
    double n = (double)f->numbers;
    double cov = f->sum_out_ref - f->sum_out * f->sum_ref / n;
    double var_out = f->sum_out_sq - f->sum_out * f->sum_out / n,
           var_ref = f->sum_ref_sq - f->sum_ref * f->sum_ref / n;
    return var_out > 0 && var_ref > 0 ? cov / sqrt(var_out * var_ref) : NAN;
}

static double ratio_or_zero(double error, double size) {
    return size > 0 ? error / size : error > 0 ? NAN : 0.0;
}

uint64_t tensor_verdict_of(const struct dev_compare_part *all, const struct dev_compare_part *far,
                           const struct assay_tensor *tensor, const struct op_tolerance *tolerance,
                           struct tensor_verdict *ret) {
    const bool has_far = far && far->failed;
    const bool has_numbers = all->numbers > 0;
    const double n = (double)all->numbers;
    struct tensor_error *error = &ret->error;
    memset(error, 0, sizeof *error);
    snprintf(error->tensor, sizeof error->tensor, "%s", tensor->name);
    error->element_count = tensor_element_count(tensor);
    error->failed_count = all->failed;
    error->max_abs = has_numbers ? all->max_abs : NAN;
    error->max_rel = has_numbers ? ratio_or_zero(all->max_abs, all->max_ref) : NAN;
    error->mean_abs = has_numbers ? all->sum_abs / n : NAN;
    error->rms = has_numbers ? sqrt(all->sum_sq / n) : NAN;
    error->rel_l2 = has_numbers ? ratio_or_zero(sqrt(all->sum_sq), sqrt(all->sum_ref_sq)) : NAN;
    error->correlation = has_numbers ? correlation(all) : NAN;
    error->same_precision_max_abs = error->same_precision_rms = NAN;
    error->sampled_max_abs = error->sampled_rms = NAN;
    error->worst_expected = error->worst_got = NAN;
    ret->why[0] = 0;
    ret->is_miscounted = false;
    ret->max_ref = all->max_ref;
    ret->unwritten_count = all->unwritten;
    ret->not_number_count = all->not_number;
    ret->first_failed = has_far ? far->first_failed : all->first_failed;
    ret->first_unwritten = all->first_unwritten;
    ret->first_not_number = all->first_not_number;
    const double passed_fraction = all->compared ? 1.0 - (double)all->failed / (double)all->compared : 1.0;
    const bool is_rel_l2_kept =
        !isfinite(tolerance->rel_l2_max) || !has_numbers || error->rel_l2 <= tolerance->rel_l2_max;
    const bool is_max_kept =
        !(tolerance->max_error > 0) || !has_numbers || error->max_abs <= tolerance->max_error;
    ret->is_passed = all->compared == error->element_count && all->unwritten == 0 && all->not_number == 0 &&
                     passed_fraction >= tolerance->min_pass_fraction && !has_far && is_rel_l2_kept &&
                     is_max_kept;
    const uint64_t index = ret->first_failed != DEV_NONE ? ret->first_failed : all->worst_index;
    if (index == DEV_NONE) return index;
    tensor_coord(tensor, index, error->worst_coord);
    error->dim_count = tensor->dim_count;
    return index;
}

// ---- on the host ----

struct compare_job {
    const struct assay_tensor *tensor;
    const double *reference;
    const struct op_tolerance *tolerance;
    enum poison poison;
    uint64_t row_elements, row_count, block_rows;
    struct dev_compare_part *blocks;
};

// Counts an element that fails by the kind of its failure.
static void add_failed(struct dev_compare_part *f, const struct compare_job *job, const void *element,
                       double out, uint64_t index) {
    double ref = job->reference[index];
    if (!isnan(ref) && tensor_is_poison(job->tensor, element, job->poison)) {
        ++f->unwritten;
        dev_note_first(&f->first_unwritten, index);
    } else if (!isfinite(out) || !isfinite(ref)) {
        ++f->not_number;
        dev_note_first(&f->first_not_number, index);
    }
    ++f->failed;
    dev_note_first(&f->first_failed, index);
}

static void compare_row(const struct compare_job *job, uint64_t row, struct dev_compare_part *f) {
    int64_t coord[ASSAY_MAX_DIMS] = {0};
    uint64_t first = row * job->row_elements;
    tensor_coord(job->tensor, first, coord);
    size_t element_bytes = dtype_bytes(job->tensor->dtype);
    const unsigned char *at =
        (const unsigned char *)job->tensor->data + (size_t)tensor_offset(job->tensor, coord) * element_bytes;
    double values[ROW_CHUNK];
    for (uint64_t done = 0; done < job->row_elements; done += ROW_CHUNK) {
        uint64_t left = job->row_elements - done;
        size_t count = left < ROW_CHUNK ? (size_t)left : ROW_CHUNK;
        dtype_load_row(job->tensor->dtype, at + done * element_bytes, count, values);
        f->compared += count;
        for (size_t i = 0; i < count; ++i) {
            uint64_t index = first + done + i;
            double ref = job->reference[index];
            if (!element_passes(values[i], ref, job->tolerance))
                add_failed(f, job, at + (done + i) * element_bytes, values[i], index);
            if (!isfinite(values[i]) || !isfinite(ref)) continue;
            const double out = values[i], error = fabs(out - ref), size = fabs(ref);
            if (error > f->max_abs || f->worst_index == DEV_NONE) {
                f->max_abs = error;
                f->worst_index = index;
            }
            if (size > f->max_ref) f->max_ref = size;
            ++f->numbers;
            f->sum_abs += error;
            f->sum_sq += error * error;
            f->sum_ref_sq += ref * ref;
            f->sum_out += out;
            f->sum_ref += ref;
            f->sum_out_sq += out * out;
            f->sum_out_ref += out * ref;
        }
    }
}

static void compare_block(void *arg, int64_t index, uint32_t thread) {
    (void)thread;
    struct compare_job *job = arg;
    struct dev_compare_part *f = &job->blocks[index];
    dev_compare_start(f);
    uint64_t begin = (uint64_t)index * job->block_rows, end = begin + job->block_rows;
    for (uint64_t row = begin; row < end && row < job->row_count; ++row) compare_row(job, row, f);
}

static void compare_all(const struct assay_tensor *tensor, const double *reference,
                        const struct op_tolerance *tolerance, enum poison poison,
                        const struct assay_cpu_stream *stream, struct dev_compare_part *ret) {
    uint64_t elements = tensor_element_count(tensor);
    struct compare_job job = {
        .tensor = tensor, .reference = reference, .tolerance = tolerance, .poison = poison};
    job.row_elements = tensor_row_length(tensor);
    job.row_count = elements / job.row_elements;
    job.block_rows = job.row_count / 256 + 1;
    uint64_t block_count = (job.row_count + job.block_rows - 1) / job.block_rows;
    job.blocks = mem_alloc(block_count * sizeof *job.blocks);
    stream->parallel_for(stream, (int64_t)block_count, compare_block, &job);
    dev_compare_start(ret);
    for (uint64_t i = 0; i < block_count; ++i) dev_compare_merge(ret, &job.blocks[i]);
    free(job.blocks);
}

void tensor_compare(const struct assay_tensor *tensor, const double *reference,
                    const struct op_tolerance *tolerance, enum poison poison,
                    const struct assay_cpu_stream *stream, struct tensor_verdict *ret) {
    struct dev_compare_part all, far;
    struct op_tolerance wide;
    compare_all(tensor, reference, tolerance, poison, stream, &all);
    const bool has_far = all.failed && tolerance_find_far(tolerance, &wide);
    if (has_far) compare_all(tensor, reference, &wide, poison, stream, &far);
    const uint64_t index = tensor_verdict_of(&all, has_far ? &far : NULL, tensor, tolerance, ret);
    if (index == DEV_NONE) return;
    ret->error.worst_expected = reference[index];
    const size_t offset = (size_t)tensor_offset(tensor, ret->error.worst_coord) * dtype_bytes(tensor->dtype);
    ret->error.worst_got = dtype_load(tensor->dtype, (const unsigned char *)tensor->data + offset);
}

bool tolerance_rows_pass(const struct op_tolerance *tolerance, uint64_t failed, uint64_t compared,
                         double error_sq, double reference_sq) {
    const double limit = ROWS_L2 * tolerance->rel_l2_max;
    if (!failed) return true;
    if (tolerance->min_pass_fraction < 1 && isfinite(limit)) return error_sq <= limit * limit * reference_sq;
    return (double)failed <= ceil((1 - tolerance->min_pass_fraction) * (double)compared);
}

void coord_format(const int64_t *coord, int dim_count, char *ret_text, size_t capacity) {
    size_t used = 0;
    if (capacity) ret_text[0] = 0;
    for (int i = 0; i < dim_count && used < capacity; ++i)
        used += (size_t)snprintf(ret_text + used, capacity - used, "[%lld]", (long long)coord[i]);
}
