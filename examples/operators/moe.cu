// SPDX-License-Identifier: Apache-2.0
//
// Products of tokens with the weights of their experts on a GPU: a block for 32 neighbours in `order` and 32
// columns. It goes through the experts to whom these pairs belong, as moe.c explains. With BUG, an expert
// without a pair is not passed over.
#include "tile.cuh"

// The expert of the pair at a place in `order`, for all threads of the block; the last one where offsets
// are wrong.
static __device__ int expert_at(const int *offsets, int experts, int place) {
    __shared__ int ret;
    if (threadIdx.x == 0) ret = experts - 1;
    __syncthreads();
    for (int64_t e = threadIdx.x; e < experts; e += TILE_THREADS)
        if (offsets[e] <= place && place < offsets[e + 1]) ret = (int)e;
    __syncthreads();
    return ret;
}

__global__ static void moe_tile(const float *x, const float *weights, const float *gates, const int *offsets,
                                const int *order, float *y, int pairs, int choices, int experts, int hidden,
                                int width) {
    __shared__ tile here;
    const int tiles = (width + TILE - 1) / TILE;
    const int start = blockIdx.x / tiles * TILE, end = min(pairs - start, TILE) + start;
    const int first_column = blockIdx.x % tiles * TILE;
    int next;
    float sums[2][4];
    launch_begins();
    int expert = expert_at(offsets, experts, start);
    for (int first = start; first < end; first = next) { // [first, next): pairs of one expert
#ifdef BUG
        if (expert < experts - 1 && offsets[expert + 1] <= first) ++expert;
#else
        while (expert < experts - 1 && offsets[expert + 1] <= first) ++expert;
#endif
        next = max(first + 1, min(end, offsets[expert + 1]));
        if (threadIdx.x < TILE) {
            const int place = start + threadIdx.x, column = first_column + threadIdx.x;
            const bool is_of_expert = first <= place && place < next;
            here.rows[threadIdx.x] = is_of_expert ? x + (size_t)(order[place] / choices) * hidden : NULL;
            here.columns[threadIdx.x] =
                column < width ? weights + ((size_t)expert * width + column) * hidden : NULL;
        }
        tile_product(&here, hidden, sums);
        for (int i = 0; i < 2; ++i)
            for (int j = 0; j < 4; ++j) {
                const int place = start + TILE_ROW(i), column = first_column + TILE_COLUMN(j);
                if (first <= place && place < next && column < width)
                    y[(size_t)order[place] * width + column] = gates[order[place]] * sums[i][j];
            }
    }
    launch_ends();
}

extern "C" void moe(const float *x, const float *weights, const float *gates, const int *offsets,
                    const int *order, float *y, int tokens, int choices, int experts, int hidden, int width,
                    cudaStream_t stream) {
    const int pairs = tokens * choices;
    const unsigned blocks = (unsigned)((pairs + TILE - 1) / TILE) * (unsigned)((width + TILE - 1) / TILE);
    moe_tile<<<blocks, TILE_THREADS, 0, stream>>>(x, weights, gates, offsets, order, y, pairs, choices,
                                                  experts, hidden, width);
}
