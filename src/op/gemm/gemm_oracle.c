// SPDX-License-Identifier: Apache-2.0
//
// The oracle of gemm: float64 sums of exact products, blocked for the caches. A and B are widened once a
// block; rows of C are spread over the threads.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "op/clones.h"
#include "op/dtype.h"
#include "op/gemm/gemm_internal.h"

#define ROWS    16  // of C that a task computes
#define COLUMNS 256 // of B that are widened at a time
#define DEPTH   64  // rows of B

struct oracle {
    const struct gemm_params *params;
    struct gemm_tensors tensors;
    double *c, *workspace; // of one thread: A [ROWS][DEPTH], B [DEPTH][COLUMNS], sums [ROWS][COLUMNS], a row
    double scale;          // of all products: of fp8
};

#define WORKSPACE_DOUBLES (ROWS * DEPTH + DEPTH * COLUMNS + ROWS * COLUMNS + DEPTH)

// sums += A B of one block.
HOT_CLONES static void multiply_block(const double *a, const double *b, double *sums, int64_t rows,
                                      int64_t depth, int64_t columns) {
    for (int64_t r = 0; r < rows; ++r)
        for (int64_t d = 0; d < depth; ++d) {
            const double factor = a[r * DEPTH + d];
            const double *from = b + d * COLUMNS;
            double *to = sums + r * COLUMNS;
            for (int64_t c = 0; c < columns; ++c) to[c] += factor * from[c];
        }
}

static const char *element_at(const struct assay_tensor *tensor, int64_t row, int64_t column) {
    return (const char *)tensor->data +
           (size_t)(row * tensor->stride[0] + column) * dtype_bytes(tensor->dtype);
}

// Terms and columns of B.
struct block {
    int64_t d_first, depth, c_first, columns;
};

// A block of B as [d][c], whichever way it is stored. row: scratch of DEPTH numbers.
static void widen_b(const struct oracle *o, const struct block *block, double *ret_b, double *row) {
    const struct assay_tensor *b = o->tensors.b;
    const int64_t d_first = block->d_first, depth = block->depth, c_first = block->c_first;
    const int64_t columns = block->columns;
    for (int64_t d = 0; d < depth && !o->params->is_b_transposed; ++d)
        dtype_load_row(b->dtype, element_at(b, d_first + d, c_first), (size_t)columns, ret_b + d * COLUMNS);
    for (int64_t c = 0; c < columns && o->params->is_b_transposed; ++c) {
        dtype_load_row(b->dtype, element_at(b, c_first + c, d_first), (size_t)depth, row);
        for (int64_t d = 0; d < depth; ++d) ret_b[d * COLUMNS + c] = row[d];
    }
}

static double activate(int32_t activation, double x) {
    if (activation == GEMM_RELU) return x > 0 || x != x ? x : 0; // NaN stays NaN
    if (activation == GEMM_GELU) return 0.5 * x * erfc(-x * M_SQRT1_2);
    return x;
}

static void finish(const struct oracle *o, int64_t row, int64_t c_first, int64_t columns,
                   const double *sums) {
    const struct gemm_params *p = o->params;
    double *to = o->c + row * p->n + c_first;
    for (int64_t c = 0; c < columns; ++c) {
        double value = sums[c] * o->scale;
        if (o->tensors.bias)
            value += dtype_load(p->dtype_out, (const char *)o->tensors.bias->data +
                                                  (size_t)(c_first + c) * dtype_bytes(p->dtype_out));
        if (p->is_accumulating) value += dtype_load(p->dtype_out, element_at(o->tensors.c, row, c_first + c));
        to[c] = activate(p->activation, value);
    }
}

// rows: of C, at most ROWS. workspace: of the thread.
static void run_rows(const struct oracle *o, const int64_t *rows, int64_t count, double *workspace) {
    const struct gemm_params *p = o->params;
    double *a = workspace, *b = a + ROWS * DEPTH;
    double *sums = b + DEPTH * COLUMNS, *row = sums + ROWS * COLUMNS;
    for (int64_t c = 0; c < p->n; c += COLUMNS) {
        const int64_t columns = p->n - c < COLUMNS ? p->n - c : COLUMNS;
        memset(sums, 0, ROWS * COLUMNS * sizeof *sums);
        for (int64_t d = 0; d < p->k; d += DEPTH) {
            const int64_t depth = p->k - d < DEPTH ? p->k - d : DEPTH;
            for (int64_t r = 0; r < count; ++r)
                dtype_load_row(p->dtype, element_at(o->tensors.a, rows[r], d), (size_t)depth, a + r * DEPTH);
            widen_b(o, &(const struct block){d, depth, c, columns}, b, row);
            multiply_block(a, b, sums, count, depth, columns);
        }
        for (int64_t r = 0; r < count; ++r) finish(o, rows[r], c, columns, sums + r * COLUMNS);
    }
}

static void run_block(void *arg, int64_t index, uint32_t thread) {
    const struct oracle *o = arg;
    const int64_t first = index * ROWS, left = o->params->m - first, count = left < ROWS ? left : ROWS;
    int64_t rows[ROWS];
    for (int64_t r = 0; r < count; ++r) rows[r] = first + r;
    run_rows(o, rows, count, o->workspace + (size_t)thread * WORKSPACE_DOUBLES);
}

static int make_oracle(const struct problem *problem, const struct assay_tensor *tensors,
                       double *const *outputs, uint32_t threads, struct oracle *ret, struct err *err) {
    const struct gemm_params *p = gemm_params_of(problem);
    *ret =
        (struct oracle){.params = p, .tensors = gemm_tensors_find(tensors, p), .c = outputs[0], .scale = 1};
    const struct gemm_tensors *t = &ret->tensors;
    if (t->a_scale)
        ret->scale = (double)*(const float *)t->a_scale->data * (double)*(const float *)t->b_scale->data;
    ret->workspace = mem_try_array(threads, WORKSPACE_DOUBLES * sizeof(double));
    if (ret->workspace) return 0;
    return err_set(err, ERR_UNAVAILABLE, "no memory for the oracle of %s", problem->name);
}

int gemm_oracle(const struct problem *problem, const struct assay_tensor *tensors, double *const *outputs,
                const struct assay_cpu_stream *stream, struct err *err) {
    struct oracle o;
    TRY(make_oracle(problem, tensors, outputs, stream->thread_count, &o, err));
    stream->parallel_for(stream, (o.params->m + ROWS - 1) / ROWS, run_block, &o);
    free(o.workspace);
    return 0;
}

int gemm_oracle_rows(const struct problem *problem, const struct assay_tensor *tensors,
                     const struct op_rows *rows, double *const *outputs, struct err *err) {
    struct oracle o;
    TRY(make_oracle(problem, tensors, outputs, 1, &o, err));
    for (size_t first = 0; first < rows->count; first += ROWS) {
        int64_t block[ROWS], count = 0;
        for (size_t r = first; r < rows->count && count < ROWS; ++r) block[count++] = (int64_t)rows->rows[r];
        run_rows(&o, block, count, o.workspace);
    }
    free(o.workspace);
    return 0;
}
