// SPDX-License-Identifier: Apache-2.0
//
// Packing, tiles and tasks of gemm_simd.c on one vector unit. A template over vec_none.h's macros: include a
// vec_<isa>.h first (else vec_plain.h is used) to get gemm_pack_<isa>, gemm_block_<isa> and
// gemm_dots_<isa>; so the functions have no include guard.
//
// A lies in panels of VEC_TILE_ROWS rows, B in panels of VEC_TILE_VECTORS vectors of columns, both term by
// term along k, in fp32; missing rows and columns of the last panels are zeros. A tile of C stays in
// registers for a slice of k.
#include "gemm/gemm_simd_plan.h"

#ifndef VEC_ISA
#include "common/vec_plain.h"
#endif
#include "common/row_math.h"

#ifndef GEMM_GEMM_SIMD_CORE_H
#define GEMM_GEMM_SIMD_CORE_H
#if defined(__clang__)
#define GEMM_UNROLL _Pragma("clang loop unroll(full)")
#else
#define GEMM_UNROLL _Pragma("GCC unroll 16")
#endif

struct gemm_job {
    const struct gemm_plan *plan;
    struct gemm_data data;
    float *a, *b, *threads;                               // parts of the workspace
    int64_t row_first, row_end, column_first, column_end; // of C: what is packed
};

static inline const char *gemm_at(const char *data, int32_t dtype, int64_t index) {
    return data + index * (int64_t)convert_dtype_bytes(dtype);
}

// act(sums scale + bias [+ C]) to one row of C, of at most GEMM_BLOCK_COLUMNS columns. sums is
// overwritten; bias: fp32 of these columns, or null.
static inline void gemm_finish_row(const struct gemm_job *job, int64_t row, int64_t column, int64_t count,
                                   const float *bias, float *sums) {
    const struct gemm_args *args = &job->plan->args;
    const float scale = gemm_scale_of(&job->data);
    for (int64_t i = 0; i < count && args->has_scales; ++i) sums[i] *= scale;
    for (int64_t i = 0; i < count && bias; ++i) sums[i] += bias[i];
    char *c = job->data.c + (row * args->stride_c + column) * (int64_t)convert_dtype_bytes(args->dtype_out);
    if (args->is_accumulating) {
        float former[GEMM_BLOCK_COLUMNS];
        convert_row_to_float(c, args->dtype_out, count, former);
        for (int64_t i = 0; i < count; ++i) sums[i] += former[i];
    }
    for (int64_t i = 0; i < count && args->activation != GEMM_ACTIVATION_NONE; ++i)
        sums[i] = gemm_activate(sums[i], args->activation);
    convert_row_from_float(sums, args->dtype_out, count, c);
}
#endif

#define PANEL_COLUMNS (VEC_TILE_VECTORS * VEC_LANES)

VEC_TARGET static inline void ROW_NAME(gemm_load)(const char *elements, int32_t dtype, int64_t count,
                                                  int64_t padded, float *ret) {
    if (dtype != ASSAY_FP8_E4M3) {
        ROW_CALL(row_load, elements, dtype, count, padded, ret);
        return;
    }
    convert_row_to_float(elements, dtype, count, ret);
    if (count < padded) memset(ret + count, 0, (size_t)(padded - count) * sizeof *ret);
}

// `count` rows of a matrix, at most VEC_LANES, become VEC_LANES columns of a panel. A chunk of terms at a
// time, so that both lie in the L1; rows: scratch for VEC_LANES rows of a chunk.
VEC_TARGET static void ROW_NAME(gemm_transpose)(const struct gemm_args *args, const char *data, int64_t count,
                                                float *rows, float *panel) {
    for (int64_t first = 0; first < args->k; first += GEMM_CHUNK) {
        const int64_t terms = args->k - first < GEMM_CHUNK ? args->k - first : GEMM_CHUNK;
        float *to = panel + first * PANEL_COLUMNS;
        for (int64_t i = 0; i < count; ++i)
            ROW_CALL(gemm_load, gemm_at(data, args->dtype, i * args->stride_b + first), args->dtype, terms,
                     terms, rows + i * GEMM_CHUNK);
        for (int64_t i = count; i < VEC_LANES; ++i)
            memset(rows + i * GEMM_CHUNK, 0, (size_t)terms * sizeof *rows);
        int64_t d = 0;
        for (; d + VEC_LANES <= terms; d += VEC_LANES) {
            vec_t tile[VEC_LANES];
            GEMM_UNROLL
            for (int i = 0; i < VEC_LANES; ++i) tile[i] = VEC_LOAD(rows + i * GEMM_CHUNK + d);
            VEC_TRANSPOSE(tile);
            GEMM_UNROLL
            for (int i = 0; i < VEC_LANES; ++i) VEC_STORE(to + (d + i) * PANEL_COLUMNS, tile[i]);
        }
        for (; d < terms; ++d)
            for (int i = 0; i < VEC_LANES; ++i) to[d * PANEL_COLUMNS + i] = rows[i * GEMM_CHUNK + d];
    }
}

VEC_TARGET static void ROW_NAME(gemm_pack_b)(const struct gemm_job *job, int64_t panel, float *rows) {
    const struct gemm_args *args = &job->plan->args;
    const int64_t first = job->column_first + panel * PANEL_COLUMNS, k = args->k;
    float *to = job->b + panel * PANEL_COLUMNS * k;
    if (args->is_b_transposed) {
        for (int64_t v = 0; v < PANEL_COLUMNS; v += VEC_LANES) {
            const int64_t left = job->column_end - first - v;
            ROW_CALL(gemm_transpose, args, gemm_at(job->data.b, args->dtype, (first + v) * args->stride_b),
                     left < 0           ? 0
                     : left < VEC_LANES ? left
                                        : VEC_LANES,
                     rows, to + v);
        }
        return;
    }
    const int64_t left = job->column_end - first;
    const int64_t count = left < PANEL_COLUMNS ? left : PANEL_COLUMNS;
    for (int64_t d = 0; d < k; ++d)
        ROW_CALL(gemm_load, gemm_at(job->data.b, args->dtype, d * args->stride_b + first), args->dtype, count,
                 PANEL_COLUMNS, to + d * PANEL_COLUMNS);
}

VEC_TARGET static void ROW_NAME(gemm_pack_a)(const struct gemm_job *job, int64_t panel, float *rows) {
    const struct gemm_args *args = &job->plan->args;
    const int64_t row = job->row_first + panel * VEC_TILE_ROWS, k = args->k;
    for (int64_t first = 0; first < k; first += GEMM_CHUNK) {
        const int64_t terms = k - first < GEMM_CHUNK ? k - first : GEMM_CHUNK;
        float *to = job->a + (panel * k + first) * VEC_TILE_ROWS;
        for (int64_t r = 0; r < VEC_TILE_ROWS; ++r) {
            const bool is_inside = row + r < job->row_end;
            ROW_CALL(gemm_load,
                     gemm_at(job->data.a, args->dtype, is_inside ? (row + r) * args->stride_a + first : 0),
                     args->dtype, is_inside ? terms : 0, terms, rows + r * GEMM_CHUNK);
        }
        for (int64_t d = 0; d < terms; ++d) {
            GEMM_UNROLL
            for (int r = 0; r < VEC_TILE_ROWS; ++r) to[d * VEC_TILE_ROWS + r] = rows[r * GEMM_CHUNK + d];
        }
    }
}

// Item `index`: a panel of B, then a panel of A.
static void ROW_NAME(gemm_pack)(void *arg, int64_t index, uint32_t thread) {
    const struct gemm_job *job = (const struct gemm_job *)arg;
    const struct gemm_plan *plan = job->plan;
    float *rows =
        job->threads + (int64_t)thread * plan->thread_floats + plan->block_rows * GEMM_BLOCK_COLUMNS;
    const int64_t b_panels = gemm_divide_up(job->column_end - job->column_first, PANEL_COLUMNS);
    if (index < b_panels)
        ROW_CALL(gemm_pack_b, job, index, rows);
    else
        ROW_CALL(gemm_pack_a, job, index - b_panels, rows);
}

struct ROW_NAME(gemm_slice) {
    int64_t depth;      // terms
    const float *a, *b; // of a panel each
    float *c;           // a tile, in rows of GEMM_BLOCK_COLUMNS
    bool is_first;      // C is not read
};

// A tile of C, of `vectors` vectors of columns (a constant), += a slice of a panel of A times one of B.
VEC_TARGET static inline __attribute__((always_inline)) void
ROW_NAME(gemm_tile_of)(const struct ROW_NAME(gemm_slice) * slice, const int vectors) {
    vec_t sums[VEC_TILE_ROWS][VEC_TILE_VECTORS];
    const float *a = slice->a, *b = slice->b;
    GEMM_UNROLL
    for (int r = 0; r < VEC_TILE_ROWS; ++r) GEMM_UNROLL
    for (int v = 0; v < vectors; ++v)
        sums[r][v] =
            slice->is_first ? VEC_ZERO() : VEC_LOAD(slice->c + r * GEMM_BLOCK_COLUMNS + v * VEC_LANES);
    for (int64_t d = 0; d < slice->depth; ++d, a += VEC_TILE_ROWS, b += PANEL_COLUMNS) {
        vec_t columns[VEC_TILE_VECTORS];
        GEMM_UNROLL
        for (int v = 0; v < vectors; ++v) columns[v] = VEC_LOAD(b + v * VEC_LANES);
        GEMM_UNROLL
        for (int r = 0; r < VEC_TILE_ROWS; ++r) {
            const vec_t row = VEC_SET1(a[r]);
            GEMM_UNROLL
            for (int v = 0; v < vectors; ++v) sums[r][v] = VEC_FMA(row, columns[v], sums[r][v]);
        }
    }
    GEMM_UNROLL
    for (int r = 0; r < VEC_TILE_ROWS; ++r) GEMM_UNROLL
    for (int v = 0; v < vectors; ++v)
        VEC_STORE(slice->c + r * GEMM_BLOCK_COLUMNS + v * VEC_LANES, sums[r][v]);
}

// The last panel may need fewer vectors.
VEC_TARGET static void ROW_NAME(gemm_tile)(const struct ROW_NAME(gemm_slice) * slice, int64_t columns) {
    switch ((columns + VEC_LANES - 1) / VEC_LANES) {
    case 1: ROW_CALL(gemm_tile_of, slice, 1); return;
#if VEC_TILE_VECTORS > 2
    case 2: ROW_CALL(gemm_tile_of, slice, 2); return;
    case 3: ROW_CALL(gemm_tile_of, slice, 3); return;
#endif
    default: ROW_CALL(gemm_tile_of, slice, VEC_TILE_VECTORS); return;
    }
}

// Task `index`: a block of C, of what is packed.
static void ROW_NAME(gemm_block)(void *arg, int64_t index, uint32_t thread) {
    const struct gemm_job *job = (const struct gemm_job *)arg;
    const struct gemm_plan *plan = job->plan;
    const int64_t k = plan->args.k;
    const int64_t column_blocks = gemm_divide_up(job->column_end - job->column_first, GEMM_BLOCK_COLUMNS);
    const int64_t row = index / column_blocks * plan->block_rows;
    const int64_t column = index % column_blocks * GEMM_BLOCK_COLUMNS;
    int64_t rows = job->row_end - job->row_first - row,
            columns = job->column_end - job->column_first - column;
    if (rows > plan->block_rows) rows = plan->block_rows;
    if (columns > GEMM_BLOCK_COLUMNS) columns = GEMM_BLOCK_COLUMNS;
    float *c = job->threads + (int64_t)thread * plan->thread_floats;
    for (int64_t d = 0; d < k; d += plan->depth) {
        const int64_t depth = k - d < plan->depth ? k - d : plan->depth;
        for (int64_t j = 0; j < columns; j += PANEL_COLUMNS)
            for (int64_t i = 0; i < rows; i += VEC_TILE_ROWS) {
                const struct ROW_NAME(gemm_slice) slice = {depth, job->a + (row + i) * k + d * VEC_TILE_ROWS,
                                                           job->b + (column + j) * k + d * PANEL_COLUMNS,
                                                           c + i * GEMM_BLOCK_COLUMNS + j, d == 0};
                ROW_CALL(gemm_tile, &slice, columns - j);
            }
    }
    float *bias = job->data.bias ? c + plan->block_rows * GEMM_BLOCK_COLUMNS : NULL;
    if (bias)
        convert_row_to_float(gemm_at(job->data.bias, plan->args.dtype_out, job->column_first + column),
                             plan->args.dtype_out, columns, bias);
    for (int64_t r = 0; r < rows; ++r)
        gemm_finish_row(job, job->row_first + row + r, job->column_first + column, columns, bias,
                        c + r * GEMM_BLOCK_COLUMNS);
}

// sums[r] = A[r] . b for all rows of A, which lie in fp32 [m][k].
VEC_TARGET static void ROW_NAME(gemm_dot)(const float *a, const float *b, int64_t m, int64_t k,
                                          float sums[VEC_TILE_ROWS]) {
    for (int64_t r = 0; r < m; ++r) {
        vec_t parts[4] = {VEC_ZERO(), VEC_ZERO(), VEC_ZERO(), VEC_ZERO()};
        const float *row = a + r * k;
        int64_t d = 0;
        for (; d + 4 * VEC_LANES <= k; d += 4 * VEC_LANES) GEMM_UNROLL
        for (int i = 0; i < 4; ++i)
            parts[i] = VEC_FMA(VEC_LOAD(row + d + i * VEC_LANES), VEC_LOAD(b + d + i * VEC_LANES), parts[i]);
        float sum = VEC_REDUCE_ADD(VEC_ADD(VEC_ADD(parts[0], parts[1]), VEC_ADD(parts[2], parts[3])));
        for (; d < k; ++d) sum += row[d] * b[d];
        sums[r] = sum;
    }
}

// Task `index`: GEMM_BLOCK_COLUMNS columns of C, each a dot product of every row of A with a row of B.
VEC_TARGET static void ROW_NAME(gemm_dots)(void *arg, int64_t index, uint32_t thread) {
    const struct gemm_job *job = (const struct gemm_job *)arg;
    const struct gemm_plan *plan = job->plan;
    const struct gemm_args *args = &plan->args;
    const int64_t column = index * GEMM_BLOCK_COLUMNS;
    const int64_t count = args->n - column < GEMM_BLOCK_COLUMNS ? args->n - column : GEMM_BLOCK_COLUMNS;
    float *c = job->threads + (int64_t)thread * plan->thread_floats;
    float *row = c + plan->block_rows * GEMM_BLOCK_COLUMNS, sums[VEC_TILE_ROWS];
    for (int64_t j = 0; j < count; ++j) {
        const char *b = gemm_at(job->data.b, args->dtype, (column + j) * args->stride_b);
        if (args->dtype != ASSAY_FP32) ROW_CALL(gemm_load, b, args->dtype, args->k, args->k, row);
        ROW_CALL(gemm_dot, job->a, args->dtype == ASSAY_FP32 ? (const float *)(const void *)b : row, args->m,
                 args->k, sums);
        for (int64_t r = 0; r < args->m; ++r) c[r * GEMM_BLOCK_COLUMNS + j] = sums[r];
    }
    if (job->data.bias)
        convert_row_to_float(gemm_at(job->data.bias, args->dtype_out, column), args->dtype_out, count, row);
    for (int64_t r = 0; r < args->m; ++r)
        gemm_finish_row(job, r, column, count, job->data.bias ? row : NULL, c + r * GEMM_BLOCK_COLUMNS);
}

#undef PANEL_COLUMNS
