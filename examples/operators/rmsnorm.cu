// SPDX-License-Identifier: Apache-2.0
//
// RMSNorm of bf16 rows on a GPU: a block for each row. With BUG, eps is added to the root and not below it.
#include <cuda_bf16.h>

#include "gpu.cuh"

#define THREADS 256
#define WARPS   (THREADS / WARP)

template <int WIDTH> // numbers that a thread reads at once
__global__ static void rmsnorm_row(const __nv_bfloat16 *x, const __nv_bfloat16 *weight, __nv_bfloat16 *y,
                                   int hidden, float eps) {
    typedef pack<__nv_bfloat16, WIDTH> numbers;
    __shared__ float sums[WARPS];
    const numbers *row = (const numbers *)(x + (size_t)blockIdx.x * hidden);
    numbers *result = (numbers *)(y + (size_t)blockIdx.x * hidden);
    float sum = 0;
    launch_begins();
    for (int i = threadIdx.x; i < hidden / WIDTH; i += THREADS) {
        const numbers some = row[i];
        for (int j = 0; j < WIDTH; ++j) sum += __bfloat162float(some.at[j]) * __bfloat162float(some.at[j]);
    }
    sum = warp_sum(sum);
    if (threadIdx.x % WARP == 0) sums[threadIdx.x / WARP] = sum;
    __syncthreads();
    sum = warp_sum(threadIdx.x % WARP < WARPS ? sums[threadIdx.x % WARP] : 0);
#ifdef BUG
    const float factor = 1 / (sqrtf(sum / hidden) + eps);
#else
    const float factor = 1 / sqrtf(sum / hidden + eps);
#endif
    for (int i = threadIdx.x; i < hidden / WIDTH; i += THREADS) {
        const numbers some = row[i], weights = ((const numbers *)weight)[i];
        numbers scaled;
        for (int j = 0; j < WIDTH; ++j)
            scaled.at[j] =
                __float2bfloat16(__bfloat162float(some.at[j]) * factor * __bfloat162float(weights.at[j]));
        result[i] = scaled;
    }
    launch_ends();
}

extern "C" void rmsnorm(const __nv_bfloat16 *x, const __nv_bfloat16 *weight, __nv_bfloat16 *y, int rows,
                        int hidden, float eps, cudaStream_t stream) {
    const auto kernel = hidden % 8 == 0 ? rmsnorm_row<8> : rmsnorm_row<1>;
    kernel<<<rows, THREADS, 0, stream>>>(x, weight, y, hidden, eps);
}
