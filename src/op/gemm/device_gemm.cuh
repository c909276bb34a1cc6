// SPDX-License-Identifier: Apache-2.0
//
// Gemm on the device, twice: in float64 (the oracle) and in fp32 with the plain kernel's arithmetic
// (kernels/gemm/gemm_naive.c): every sum upwards along k. A block of 256 threads computes 64 x 64 elements of
// C; thread (x, y) of 16 x 16 holds rows 4 y .. 4 y + 3 and columns x, 16 + x, 32 + x, 48 + x. 16 terms at a
// time are staged in shared memory as numbers of the computing type.
#ifndef OP_GEMM_DEVICE_GEMM_CUH
#define OP_GEMM_DEVICE_GEMM_CUH

#include "device/device_kernel_entry.cuh"
#include "op/gemm/device_gemm_core.h"

#define GEMM_DEPTH 16
#define GEMM_PITCH (DEV_GEMM_TILE + 2)

template <typename number> struct alignas(16) gemm_shared {
    number a[GEMM_DEPTH][GEMM_PITCH], b[GEMM_DEPTH][GEMM_PITCH];
};

static __device__ __forceinline__ double gemm_multiply_add(double a, double b, double c) {
    return fma(a, b, c);
}
// Rounds twice, as the plain kernel does.
static __device__ __forceinline__ float gemm_multiply_add(float a, float b, float c) {
    return __fadd_rn(__fmul_rn(a, b), c);
}

// Sums of the block's tile that begins at computed row row_index and at column column_first. All threads;
// ends in step.
template <typename number>
static __device__ void gemm_tile_sums(const struct dev_gemm &g, int64_t row_index, int64_t column_first,
                                      gemm_shared<number> &shared, number sums[4][4]) {
    const int x = static_cast<int>(threadIdx.x) % 16, y = static_cast<int>(threadIdx.x) / 16;
#pragma unroll
    for (int r = 0; r < 4; ++r)
#pragma unroll
        for (int c = 0; c < 4; ++c) sums[r][c] = 0;
    const int line = static_cast<int>(threadIdx.x) / 4, depth_first = static_cast<int>(threadIdx.x) % 4 * 4;
    const int64_t row = dev_gemm_row(&g, row_index + line);
    for (int64_t depth = 0; depth < g.k; depth += GEMM_DEPTH) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            shared.a[depth_first + i][line] = dev_gemm_a(&g, row, depth + depth_first + i);
            shared.b[depth_first + i][line] = dev_gemm_b(&g, depth + depth_first + i, column_first + line);
        }
        __syncthreads();
#pragma unroll 4
        for (int d = 0; d < GEMM_DEPTH; ++d) {
            number a[4], b[4];
#pragma unroll
            for (int i = 0; i < 4; ++i) a[i] = shared.a[d][y * 4 + i], b[i] = shared.b[d][i * 16 + x];
#pragma unroll
            for (int r = 0; r < 4; ++r)
#pragma unroll
                for (int c = 0; c < 4; ++c) sums[r][c] = gemm_multiply_add(a[r], b[c], sums[r][c]);
        }
        __syncthreads();
    }
}

// store(row, column, sum) for every element of C that is wanted.
template <typename number, typename store_type>
static __device__ void gemm_all_tiles(const struct dev_gemm &g, gemm_shared<number> &shared,
                                      store_type store) {
    const int x = static_cast<int>(threadIdx.x) % 16, y = static_cast<int>(threadIdx.x) / 16;
    const int64_t rows = dev_gemm_row_count(&g);
    const int64_t columns = (g.n + DEV_GEMM_TILE - 1) / DEV_GEMM_TILE;
    const int64_t tiles = (rows + DEV_GEMM_TILE - 1) / DEV_GEMM_TILE * columns;
    for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const int64_t row_index = tile / columns * DEV_GEMM_TILE;
        const int64_t column_first = tile % columns * DEV_GEMM_TILE;
        number sums[4][4];
        gemm_tile_sums(g, row_index, column_first, shared, sums);
#pragma unroll
        for (int r = 0; r < 4; ++r)
#pragma unroll
            for (int c = 0; c < 4; ++c) {
                const int64_t column = column_first + c * 16 + x;
                if (row_index + y * 4 + r < rows && column < g.n)
                    store(dev_gemm_row(&g, row_index + y * 4 + r), column, sums[r][c]);
            }
    }
}

ENTRY(gemm_fill) {
    const uint64_t count = static_cast<uint64_t>(args.rows) * static_cast<uint64_t>(args.columns);
    const uint64_t blocks = (count + DEV_RANDOM_WORDS - 1) / DEV_RANDOM_WORDS;
    for (uint64_t i = thread_first(); i < blocks; i += thread_count()) dev_gemm_fill_block(&args, i);
}

ENTRY(gemm_scale) {
    if (thread_first() == 0) *args.data = args.value;
}

ENTRY(gemm_oracle) {
    __shared__ gemm_shared<double> shared;
    gemm_all_tiles<double>(args.problem, shared, [&](int64_t row, int64_t column, double sum) {
        args.out[row * args.problem.n + column] = dev_gemm_finish_double(&args.problem, sum, column);
    });
}

ENTRY(gemm_same_precision) {
    __shared__ gemm_shared<float> shared;
    gemm_all_tiles<float>(args.problem, shared, [&](int64_t row, int64_t column, float sum) {
        dev_store_float(args.problem.dtype_out, args.out, row * args.problem.n + column,
                        static_cast<double>(dev_gemm_finish_float(&args.problem, sum, column)));
    });
}

#endif
