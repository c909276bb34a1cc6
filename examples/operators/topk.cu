// SPDX-License-Identifier: Apache-2.0
//
// The k largest numbers of each row on a GPU, the largest first: a block for each row. Every thread knows the
// largest of its own numbers that is not taken yet; the block takes the largest of those, k times. Of equal
// numbers the first one comes first. With BUG, the search begins at 0: right while k numbers are above 0.
#include <limits.h>

#include "gpu.cuh"

#define THREADS 1024

struct number {
    float value;
    int index;
};

#ifdef BUG
#define NONE                                                                                                 \
    { 0, INT_MAX }
#else
#define NONE                                                                                                 \
    { -INFINITY, INT_MAX }
#endif

static __device__ bool is_before(number a, number b) {
    return a.value > b.value || (a.value == b.value && a.index < b.index);
}

static __device__ number warp_first(number of) {
    for (int lane = WARP / 2; lane > 0; lane /= 2) {
        const number other = {__shfl_xor_sync(ALL, of.value, lane), __shfl_xor_sync(ALL, of.index, lane)};
        if (is_before(other, of)) of = other;
    }
    return of;
}

// The first of this thread's numbers that come after one that is taken.
static __device__ number next_of_mine(const float *row, int columns, number taken) {
    number ret = NONE;
    for (int64_t i = threadIdx.x; i < columns; i += THREADS) {
        const number one = {row[i], (int)i};
        if (is_before(taken, one) && is_before(one, ret)) ret = one;
    }
    return ret;
}

__global__ static void topk_row(const float *x, float *values, int *indices, int columns, int k) {
    __shared__ number of_warps[2][THREADS / WARP]; // of odd and of even turns: a warp may be one ahead
    const float *row = x + (size_t)blockIdx.x * columns;
    launch_begins();
    number mine = next_of_mine(row, columns, {INFINITY, -1});
    for (int turn = 0; turn < k; ++turn) {
        number first = warp_first(mine);
        if (threadIdx.x % WARP == 0) of_warps[turn % 2][threadIdx.x / WARP] = first;
        __syncthreads();
        first = warp_first(of_warps[turn % 2][threadIdx.x % WARP]);
        if (threadIdx.x == 0) {
            values[(size_t)blockIdx.x * k + turn] = first.value;
            indices[(size_t)blockIdx.x * k + turn] = first.index;
        }
        if (first.index == mine.index) mine = next_of_mine(row, columns, first);
    }
    launch_ends();
}

extern "C" void topk(const float *x, float *values, int *indices, int rows, int columns, int k,
                     cudaStream_t stream) {
    topk_row<<<rows, THREADS, 0, stream>>>(x, values, indices, columns, k);
}
