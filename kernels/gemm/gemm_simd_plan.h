// SPDX-License-Identifier: Apache-2.0
//
// How gemm_simd.c cuts a product: blocks of C that a thread computes, slices of k, and the packed copies of A
// and B in the workspace.
#ifndef GEMM_GEMM_SIMD_PLAN_H
#define GEMM_GEMM_SIMD_PLAN_H

#include "common/cpu_threads.h"
#include "gemm/gemm_args.h"

#define GEMM_BLOCK_ROWS       192   // of C in a task, at most: a multiple of 4 and 6
#define GEMM_BLOCK_ROWS_LEAST 24    // as far as threads are busy
#define GEMM_BLOCK_COLUMNS    256   // a multiple of every unit's tile
#define GEMM_SLICE_FLOATS     16384 // a slice of a panel of B: 64 KiB, in the L2 while rows pass by
#define GEMM_PACKED_FLOATS    (INT64_C(1) << 24) // of A, and of B, packed at a time: 64 MiB, or one block
#define GEMM_CHUNK            128                // terms that are packed at a time
#define GEMM_TASKS            4                  // of a thread, wanted

// What a vector unit computes at a time.
struct gemm_tile_shape {
    int32_t lanes, rows, columns;
};

struct gemm_plan {
    struct gemm_args args;
    struct gemm_tile_shape tile;
    uint32_t thread_count;
    int64_t depth;                       // terms of a slice
    int64_t block_rows;                  // of a task
    int64_t rows_packed, columns_packed; // of A and B at a time: whole tiles
    int64_t thread_floats;               // a block of C, and a row
    bool is_dot; // few rows, B transposed: columns of C are dot products with rows of B as they lie
};

static inline int64_t gemm_divide_up(int64_t value, int64_t step) {
    return (value + step - 1) / step;
}

static inline int64_t gemm_round_up(int64_t value, int64_t step) {
    return gemm_divide_up(value, step) * step;
}

// Rows or columns that are packed at a time: whole blocks, as many as are within the limit, at least one; not
// more than there are, in whole tiles.
static inline int64_t gemm_packed_extent(int64_t extent, int64_t depth, int64_t block, int64_t tile) {
    int64_t most = GEMM_PACKED_FLOATS / depth / block * block;
    if (most < block) most = block;
    const int64_t all = gemm_round_up(extent, tile);
    return all < most ? all : most;
}

static inline void gemm_plan_set(struct gemm_plan *plan, const struct gemm_args *args,
                                 const struct assay_env *env, struct gemm_tile_shape tile) {
    plan->args = *args;
    plan->tile = tile;
    plan->thread_count = cpu_thread_count(env);
    plan->is_dot = args->is_b_transposed && args->m <= tile.rows;
    plan->depth = GEMM_SLICE_FLOATS / tile.columns;
    const int64_t column_blocks = gemm_divide_up(args->n, GEMM_BLOCK_COLUMNS);
    const int64_t wanted = (int64_t)plan->thread_count * GEMM_TASKS;
    plan->block_rows = gemm_round_up(gemm_divide_up(args->m * column_blocks, wanted), tile.rows);
    // Fewer rows would read B too often; but every thread gets a block.
    const int64_t share = gemm_divide_up(args->m, plan->thread_count);
    const int64_t least =
        gemm_round_up(share < GEMM_BLOCK_ROWS_LEAST ? share : GEMM_BLOCK_ROWS_LEAST, tile.rows);
    if (plan->block_rows < least) plan->block_rows = least;
    const int64_t most = GEMM_BLOCK_ROWS / tile.rows * tile.rows;
    if (plan->block_rows > most) plan->block_rows = most;
    plan->rows_packed = gemm_packed_extent(args->m, args->k, plan->block_rows, tile.rows);
    plan->columns_packed = gemm_packed_extent(args->n, args->k, GEMM_BLOCK_COLUMNS, tile.columns);
    const int64_t chunks = 16 * GEMM_CHUNK; // of the widest unit's lanes
    const int64_t scratch = args->k > chunks ? args->k : chunks;
    plan->thread_floats = gemm_round_up(plan->block_rows * GEMM_BLOCK_COLUMNS + scratch, 64);
}

// Floats of the workspace: packed A, packed B, and the threads' own.
static inline int64_t gemm_plan_a_floats(const struct gemm_plan *plan) {
    return plan->is_dot ? gemm_round_up(plan->args.m * plan->args.k, 64)
                        : gemm_round_up(plan->rows_packed * plan->args.k, 64);
}

static inline int64_t gemm_plan_b_floats(const struct gemm_plan *plan) {
    return plan->is_dot ? 0 : gemm_round_up(plan->columns_packed * plan->args.k, 64);
}

#endif
