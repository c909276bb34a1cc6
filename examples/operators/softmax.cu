// SPDX-License-Identifier: Apache-2.0
//
// Softmax of long rows on a GPU: a cluster of blocks for each row (from sm_90 on), since a row alone has
// enough work for several multiprocessors. A first pass finds the maximum and the sum, a second one writes.
// With BUG, a row's length is kept in 16 bits.
#include <cooperative_groups.h>
#include <float.h>
#include <stdint.h>

#include "gpu.cuh"

#define THREADS 512
#define WARPS   (THREADS / WARP)
#define BLOCKS  8 // of a cluster

// The sum of exp(x - max) over some x. max is -FLT_MAX, not infinity, where there is no x: infinity less
// itself is not a number.
struct part {
    float max, sum;
};

static __device__ part joined(part a, part b) {
    const float max = fmaxf(a.max, b.max);
    return {max, a.sum * expf(a.max - max) + b.sum * expf(b.max - max)};
}

static __device__ part warp_joined(part of) {
    for (int lane = WARP / 2; lane > 0; lane /= 2)
        of = joined(of, {__shfl_xor_sync(ALL, of.max, lane), __shfl_xor_sync(ALL, of.sum, lane)});
    return of;
}

template <int WIDTH> // numbers that a thread reads at once
__global__ static void __cluster_dims__(BLOCKS) softmax_row(const float *x, float *y, int columns) {
    typedef pack<float, WIDTH> numbers;
    __shared__ part of_warps[WARPS], of_block;
    const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    const size_t start = (size_t)(blockIdx.x / BLOCKS) * columns;
    const numbers *row = (const numbers *)(x + start);
    numbers *result = (numbers *)(y + start);
#ifdef BUG
    const uint16_t count = columns / WIDTH * WIDTH;
#else
    const int count = columns;
#endif
    const int first = cluster.block_rank() * THREADS + threadIdx.x;
    part mine = {-FLT_MAX, 0};
    launch_begins();
    for (int i = first; i < count / WIDTH; i += BLOCKS * THREADS) {
        const numbers some = row[i];
        for (int j = 0; j < WIDTH; ++j) {
            if (some.at[j] > mine.max) mine = {some.at[j], mine.sum * expf(mine.max - some.at[j])};
            mine.sum += expf(some.at[j] - mine.max);
        }
    }
    mine = warp_joined(mine);
    if (threadIdx.x % WARP == 0) of_warps[threadIdx.x / WARP] = mine;
    __syncthreads();
    mine = warp_joined(threadIdx.x % WARP < WARPS ? of_warps[threadIdx.x % WARP] : part{-FLT_MAX, 0});
    if (threadIdx.x == 0) of_block = mine;
    cluster.sync();
    part all = *cluster.map_shared_rank(&of_block, 0);
    for (int i = 1; i < BLOCKS; ++i) all = joined(all, *cluster.map_shared_rank(&of_block, i));
    cluster.sync(); // none leaves while others read what it has
    for (int i = first; i < count / WIDTH; i += BLOCKS * THREADS) {
        numbers some = row[i];
        for (int j = 0; j < WIDTH; ++j) some.at[j] = expf(some.at[j] - all.max) / all.sum;
        result[i] = some;
    }
    launch_ends();
}

extern "C" void softmax(const float *x, float *y, int rows, int columns, cudaStream_t stream) {
    const auto kernel = columns % 4 == 0 ? softmax_row<4> : softmax_row<1>;
    kernel<<<rows * BLOCKS, THREADS, 0, stream>>>(x, y, columns);
}
