// SPDX-License-Identifier: Apache-2.0
//
// RMSNorm of bf16 rows on a GPU: a block for each row.
#include <cuda_bf16.h>

#define THREADS 256
#define WARPS   (THREADS / 32)

__device__ static float warp_sum(float value) {
    for (int lane = 16; lane > 0; lane /= 2) value += __shfl_xor_sync(0xffffffffu, value, lane);
    return value;
}

__global__ static void rmsnorm_row(const __nv_bfloat16 *x, const __nv_bfloat16 *weight, __nv_bfloat16 *y,
                                   int hidden, float eps) {
    __shared__ float sums[WARPS];
    float sum = 0;
    x += (size_t)blockIdx.x * hidden;
    y += (size_t)blockIdx.x * hidden;
    for (int i = threadIdx.x; i < hidden; i += THREADS)
        sum += __bfloat162float(x[i]) * __bfloat162float(x[i]);
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = warp_sum(threadIdx.x % 32 < WARPS ? sums[threadIdx.x % 32] : 0);
    const float factor = 1 / sqrtf(sum / hidden + eps);
    for (int i = threadIdx.x; i < hidden; i += THREADS)
        y[i] = __float2bfloat16(__bfloat162float(x[i]) * factor * __bfloat162float(weight[i]));
}

extern "C" void rmsnorm(const __nv_bfloat16 *x, const __nv_bfloat16 *weight, __nv_bfloat16 *y, int rows,
                        int hidden, float eps, cudaStream_t stream) {
    rmsnorm_row<<<rows, THREADS, 0, stream>>>(x, weight, y, hidden, eps);
}
