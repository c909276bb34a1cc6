// SPDX-License-Identifier: Apache-2.0
//
// The comparison: rows over threads, figures a block of rows, merged in the order of blocks so that the same output gives
// the same figures whatever the threads did.
#include "check/tensor_compare.h"

#include "base/mem.h"
#include "op/dtype.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROW_CHUNK 512 // elements converted at a time
#define NO_INDEX  UINT64_MAX

struct figures {
    uint64_t failed_count, unwritten_count, not_number_count, number_count;
    uint64_t first_failed, first_unwritten, first_not_number, worst;
    double max_abs, max_ref;
    double sum_abs, sum_square, sum_ref_square;
    double sum_out, sum_ref, sum_out_out, sum_ref_ref, sum_out_ref; // for the correlation
};

struct compare_job {
    const struct assay_tensor *tensor;
    const double *reference;
    const struct op_tolerance *tolerance;
    enum poison poison;
    uint64_t row_elements, row_count, block_rows;
    struct figures *blocks;
};

static void note_first(uint64_t *first, uint64_t index) {
    if (index < *first) *first = index;
}

// An element that fails: what kind of failure is it?
static void add_failed(struct figures *f, const struct compare_job *job, const void *element, double out,
                       uint64_t index) {
    double ref = job->reference[index];
    if (!isnan(ref) && tensor_is_poison(job->tensor, element, job->poison)) {
        ++f->unwritten_count;
        note_first(&f->first_unwritten, index);
    } else if (!isfinite(out) || !isfinite(ref)) {
        ++f->not_number_count;
        note_first(&f->first_not_number, index);
    }
    ++f->failed_count;
    note_first(&f->first_failed, index);
}

static void add_figures(struct figures *f, double out, double ref, uint64_t index) {
    double error = fabs(out - ref), size = fabs(ref);
    if (error > f->max_abs || f->worst == NO_INDEX) {
        f->max_abs = error;
        f->worst = index;
    }
    if (size > f->max_ref) f->max_ref = size;
    ++f->number_count;
    f->sum_abs += error;
    f->sum_square += error * error;
    f->sum_ref_square += ref * ref;
    f->sum_out += out;
    f->sum_ref += ref;
    f->sum_out_out += out * out;
    f->sum_ref_ref += ref * ref;
    f->sum_out_ref += out * ref;
}

static void compare_row(const struct compare_job *job, uint64_t row, struct figures *f) {
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
        for (size_t i = 0; i < count; ++i) {
            uint64_t index = first + done + i;
            double ref = job->reference[index];
            if (!element_passes(values[i], ref, job->tolerance))
                add_failed(f, job, at + (done + i) * element_bytes, values[i], index);
            if (isfinite(values[i]) && isfinite(ref)) add_figures(f, values[i], ref, index);
        }
    }
}

static void compare_block(void *arg, int64_t index, uint32_t thread) {
    (void)thread;
    struct compare_job *job = arg;
    struct figures *f = &job->blocks[index];
    f->first_failed = f->first_unwritten = f->first_not_number = f->worst = NO_INDEX;
    uint64_t begin = (uint64_t)index * job->block_rows, end = begin + job->block_rows;
    for (uint64_t row = begin; row < end && row < job->row_count; ++row) compare_row(job, row, f);
}

static void merge(struct figures *into, const struct figures *f) {
    if (f->worst != NO_INDEX && (into->worst == NO_INDEX || f->max_abs > into->max_abs)) {
        into->max_abs = f->max_abs;
        into->worst = f->worst;
    }
    if (f->max_ref > into->max_ref) into->max_ref = f->max_ref;
    note_first(&into->first_failed, f->first_failed);
    note_first(&into->first_unwritten, f->first_unwritten);
    note_first(&into->first_not_number, f->first_not_number);
    into->failed_count += f->failed_count;
    into->unwritten_count += f->unwritten_count;
    into->not_number_count += f->not_number_count;
    into->number_count += f->number_count;
    into->sum_abs += f->sum_abs;
    into->sum_square += f->sum_square;
    into->sum_ref_square += f->sum_ref_square;
    into->sum_out += f->sum_out;
    into->sum_ref += f->sum_ref;
    into->sum_out_out += f->sum_out_out;
    into->sum_ref_ref += f->sum_ref_ref;
    into->sum_out_ref += f->sum_out_ref;
}

static double correlation(const struct figures *f) {
    double n = (double)f->number_count;
    double cov = f->sum_out_ref - f->sum_out * f->sum_ref / n;
    double var_out = f->sum_out_out - f->sum_out * f->sum_out / n,
           var_ref = f->sum_ref_ref - f->sum_ref * f->sum_ref / n;
    return var_out > 0 && var_ref > 0 ? cov / sqrt(var_out * var_ref) : NAN;
}

static double ratio_or_zero(double error, double size) {
    return size > 0 ? error / size : error > 0 ? NAN : 0.0;
}

static double element_at(const struct assay_tensor *tensor, const int64_t *coord) {
    const unsigned char *at = tensor->data;
    return dtype_load(tensor->dtype, at + (size_t)tensor_offset(tensor, coord) * dtype_bytes(tensor->dtype));
}

static void describe_error(const struct compare_job *job, const struct figures *f, struct tensor_error *ret) {
    memset(ret, 0, sizeof *ret);
    snprintf(ret->tensor, sizeof ret->tensor, "%s", role_name(job->tensor->role));
    ret->element_count = tensor_element_count(job->tensor);
    ret->failed_count = f->failed_count;
    bool has_numbers = f->number_count > 0;
    double n = (double)f->number_count;
    ret->max_abs = has_numbers ? f->max_abs : NAN;
    ret->max_rel = has_numbers ? ratio_or_zero(f->max_abs, f->max_ref) : NAN;
    ret->mean_abs = has_numbers ? f->sum_abs / n : NAN;
    ret->rms = has_numbers ? sqrt(f->sum_square / n) : NAN;
    ret->rel_l2 = has_numbers ? ratio_or_zero(sqrt(f->sum_square), sqrt(f->sum_ref_square)) : NAN;
    ret->correlation = has_numbers ? correlation(f) : NAN;
    ret->yardstick_max_abs = ret->yardstick_rms = ret->sampled_max_abs = ret->sampled_rms = NAN;
    ret->worst_expected = ret->worst_got = NAN;
    uint64_t index = f->first_failed != NO_INDEX ? f->first_failed : f->worst;
    if (index == NO_INDEX) return;
    tensor_coord(job->tensor, index, ret->worst_coord);
    ret->dim_count = job->tensor->dim_count;
    ret->worst_expected = job->reference[index];
    ret->worst_got = element_at(job->tensor, ret->worst_coord);
}

void tensor_compare(const struct assay_tensor *tensor, const double *reference,
                    const struct op_tolerance *tolerance, enum poison poison,
                    const struct assay_cpu_stream *stream, struct tensor_verdict *ret) {
    uint64_t elements = tensor_element_count(tensor);
    struct compare_job job = {
        .tensor = tensor, .reference = reference, .tolerance = tolerance, .poison = poison};
    job.row_elements = (uint64_t)tensor->shape[tensor->dim_count - 1];
    job.row_count = elements / job.row_elements;
    job.block_rows = job.row_count / 256 + 1;
    uint64_t block_count = (job.row_count + job.block_rows - 1) / job.block_rows;
    job.blocks = mem_alloc(block_count * sizeof *job.blocks);
    stream->parallel_for(stream, (int64_t)block_count, compare_block, &job);
    struct figures all = job.blocks[0];
    for (uint64_t i = 1; i < block_count; ++i) merge(&all, &job.blocks[i]);
    free(job.blocks);
    describe_error(&job, &all, &ret->error);
    ret->unwritten_count = all.unwritten_count;
    ret->not_number_count = all.not_number_count;
    ret->first_failed = all.first_failed;
    ret->first_unwritten = all.first_unwritten;
    ret->first_not_number = all.first_not_number;
    double passed_fraction = 1.0 - (double)all.failed_count / (double)elements;
    bool is_rel_l2_kept =
        !isfinite(tolerance->rel_l2_max) || !all.number_count || ret->error.rel_l2 <= tolerance->rel_l2_max;
    ret->is_passed = all.unwritten_count == 0 && all.not_number_count == 0 &&
                     passed_fraction >= tolerance->min_pass_fraction && is_rel_l2_kept;
}

void coord_format(const int64_t *coord, int dim_count, char *ret_text, size_t capacity) {
    size_t used = 0;
    if (capacity) ret_text[0] = 0;
    for (int i = 0; i < dim_count && used < capacity; ++i)
        used += (size_t)snprintf(ret_text + used, capacity - used, "[%lld]", (long long)coord[i]);
}
