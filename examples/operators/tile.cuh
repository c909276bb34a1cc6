// SPDX-License-Identifier: Apache-2.0
//
// A tile of a product in fp32, of rows that lie anywhere: 32 rows times 32 columns by a block of 128 threads,
// each of which has 2 rows and 4 columns.
#ifndef TILE_CUH
#define TILE_CUH

#include "gpu.cuh"

#define TILE           32
#define TILE_THREADS   128
#define TILE_ROW(i)    (threadIdx.x / 8 + 16 * (i)) // of a thread's sum [i][j], in the tile
#define TILE_COLUMN(j) (threadIdx.x % 8 + 8 * (j))

struct tile {
    const float *rows[TILE], *columns[TILE]; // `depth` numbers each; NULL: there is none
    float a[TILE][TILE + 1], b[TILE][TILE + 1];
};

// To be called by all threads of the block. A step's products are added up alone: 16 sums of 32 numbers lose
// less than one of 512.
static inline __device__ void tile_product(tile *of, int depth, float (&sums)[2][4]) {
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 4; ++j) sums[i][j] = 0;
    __syncthreads(); // rows and columns are there
    for (int64_t step = 0; step < depth; step += TILE) {
        const int lane = threadIdx.x % WARP;
        const bool is_inside = step + lane < depth;
        for (int i = threadIdx.x / WARP; i < TILE; i += TILE_THREADS / WARP) {
            of->a[i][lane] = is_inside && of->rows[i] ? of->rows[i][step + lane] : 0;
            of->b[i][lane] = is_inside && of->columns[i] ? of->columns[i][step + lane] : 0;
        }
        __syncthreads();
        float part[2][4] = {};
        for (int k = 0; k < TILE; ++k)
            for (int i = 0; i < 2; ++i)
                for (int j = 0; j < 4; ++j) part[i][j] += of->a[TILE_ROW(i)][k] * of->b[TILE_COLUMN(j)][k];
        for (int i = 0; i < 2; ++i)
            for (int j = 0; j < 4; ++j) sums[i][j] += part[i][j];
        __syncthreads();
    }
}

#endif
