// SPDX-License-Identifier: Apache-2.0
//
// y = gelu(a weight^T + bias) on a GPU, in fp32: a block for each tile of y. With BUG, the last k % 16
// products are missing.
#include "tile.cuh"

// By erfc, since 1 + erf(x) loses all digits where x is far below 0.
static __device__ float gelu(float x) {
    return x / 2 * erfcf(-x * 0.70710678f);
}

__global__ static void gemm_gelu_tile(const float *a, const float *weight, const float *bias, float *y, int m,
                                      int n, int k) {
    __shared__ tile here;
    const int tiles = (n + TILE - 1) / TILE;
    const int first_row = blockIdx.x / tiles * TILE, first_column = blockIdx.x % tiles * TILE;
    float sums[2][4];
    launch_begins();
    if (threadIdx.x < TILE) {
        const int row = first_row + threadIdx.x, column = first_column + threadIdx.x;
        here.rows[threadIdx.x] = row < m ? a + (size_t)row * k : NULL;
        here.columns[threadIdx.x] = column < n ? weight + (size_t)column * k : NULL;
    }
#ifdef BUG
    tile_product(&here, k / 16 * 16, sums);
#else
    tile_product(&here, k, sums);
#endif
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 4; ++j) {
            const int row = first_row + TILE_ROW(i), column = first_column + TILE_COLUMN(j);
            if (row < m && column < n) y[(size_t)row * n + column] = gelu(sums[i][j] + bias[column]);
        }
    launch_ends();
}

extern "C" void gemm_gelu(const float *a, const float *weight, const float *bias, float *y, int m, int n,
                          int k, cudaStream_t stream) {
    const unsigned blocks = (unsigned)((m + TILE - 1) / TILE) * (unsigned)((n + TILE - 1) / TILE);
    gemm_gelu_tile<<<blocks, TILE_THREADS, 0, stream>>>(a, weight, bias, y, m, n, k);
}
