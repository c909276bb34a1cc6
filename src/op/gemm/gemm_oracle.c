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

static void oracle_rows(void *arg, int64_t index, uint32_t thread) {
    const struct oracle *o = arg;
    const struct gemm_params *p = o->params;
    double *a = o->workspace + (size_t)thread * WORKSPACE_DOUBLES, *b = a + ROWS * DEPTH;
    double *sums = b + DEPTH * COLUMNS, *row = sums + ROWS * COLUMNS;
    const int64_t first = index * ROWS, rows = p->m - first < ROWS ? p->m - first : ROWS;
    for (int64_t c = 0; c < p->n; c += COLUMNS) {
        const int64_t columns = p->n - c < COLUMNS ? p->n - c : COLUMNS;
        memset(sums, 0, ROWS * COLUMNS * sizeof *sums);
        for (int64_t d = 0; d < p->k; d += DEPTH) {
            const int64_t depth = p->k - d < DEPTH ? p->k - d : DEPTH;
            for (int64_t r = 0; r < rows; ++r)
                dtype_load_row(p->dtype, element_at(o->tensors.a, first + r, d), (size_t)depth,
                               a + r * DEPTH);
            widen_b(o, &(const struct block){d, depth, c, columns}, b, row);
            multiply_block(a, b, sums, rows, depth, columns);
        }
        for (int64_t r = 0; r < rows; ++r) finish(o, first + r, c, columns, sums + r * COLUMNS);
    }
}

int gemm_oracle(const struct problem *problem, const struct assay_tensor *tensors, double *const *outputs,
                const struct assay_cpu_stream *stream, struct err *err) {
    const struct gemm_params *p = gemm_params_of(problem);
    struct oracle o = {.params = p, .tensors = gemm_tensors_find(tensors, p), .c = outputs[0], .scale = 1};
    if (o.tensors.a_scale)
        o.scale =
            (double)*(const float *)o.tensors.a_scale->data * (double)*(const float *)o.tensors.b_scale->data;
    o.workspace = mem_try_array(stream->thread_count, WORKSPACE_DOUBLES * sizeof(double));
    if (!o.workspace) return err_set(err, ERR_UNAVAILABLE, "no memory for the oracle of %s", problem->name);
    stream->parallel_for(stream, (p->m + ROWS - 1) / ROWS, oracle_rows, &o);
    free(o.workspace);
    return 0;
}
