// SPDX-License-Identifier: Apache-2.0
//
// The comparison on the host: rows over threads, figures a block of rows, added up in the order of blocks.
#include "worker/check/tensor_compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "op/dtype.h"
#include "worker/check/compare_figures.h"

#define ROW_CHUNK 512 // elements converted at a time

struct compare_job {
    const struct assay_tensor *tensor;
    const double *reference;
    const struct op_tolerance *tolerance;
    enum poison poison;
    uint64_t row_elements, row_count, block_rows;
    struct compare_figures *blocks;
};

static void note_first(uint64_t *first, uint64_t index) {
    if (index < *first) *first = index;
}

// An element that fails: what kind of failure is it?
static void add_failed(struct compare_figures *f, const struct compare_job *job, const void *element,
                       double out, uint64_t index) {
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

static void add_figures(struct compare_figures *f, double out, double ref, uint64_t index) {
    double error = fabs(out - ref), size = fabs(ref);
    if (error > f->max_abs || f->worst == COMPARE_NO_INDEX) {
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
    f->sum_out_ref += out * ref;
}

static void compare_row(const struct compare_job *job, uint64_t row, struct compare_figures *f) {
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
        f->compared_count += count;
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
    struct compare_figures *f = &job->blocks[index];
    compare_figures_clear(f);
    uint64_t begin = (uint64_t)index * job->block_rows, end = begin + job->block_rows;
    for (uint64_t row = begin; row < end && row < job->row_count; ++row) compare_row(job, row, f);
}

static double element_at(const struct assay_tensor *tensor, const int64_t *coord) {
    const unsigned char *at = tensor->data;
    return dtype_load(tensor->dtype, at + (size_t)tensor_offset(tensor, coord) * dtype_bytes(tensor->dtype));
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
    struct compare_figures all;
    compare_figures_clear(&all);
    for (uint64_t i = 0; i < block_count; ++i) compare_figures_add(&all, &job.blocks[i]);
    free(job.blocks);
    const uint64_t index = compare_figures_judge(&all, tensor, tolerance, ret);
    if (index == COMPARE_NO_INDEX) return;
    ret->error.worst_expected = reference[index];
    ret->error.worst_got = element_at(tensor, ret->error.worst_coord);
}

void coord_format(const int64_t *coord, int dim_count, char *ret_text, size_t capacity) {
    size_t used = 0;
    if (capacity) ret_text[0] = 0;
    for (int i = 0; i < dim_count && used < capacity; ++i)
        used += (size_t)snprintf(ret_text + used, capacity - used, "[%lld]", (long long)coord[i]);
}
