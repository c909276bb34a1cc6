// SPDX-License-Identifier: Apache-2.0
//
// The matrix rate by mma.sync, the widest instruction before and beside sm_90a, operands in registers.
#ifndef DEVICE_CEILING_MMA_CUH
#define DEVICE_CEILING_MMA_CUH

#include "common/mma_sm80.cuh"
#if __CUDA_ARCH__ >= 890
#include "common/mma_sm89.cuh"
#endif
#include "device/ceiling_kernel_core.h"

#define CEILING_A_TILES (DEV_CEILING_MMA_A_ROWS / 16)
#define CEILING_B_TILES (DEV_CEILING_MMA_B_ROWS / 8)

// Fragments are placed by bytes, alike for all types (mma_sm80.cuh): register i of A holds row g + 8 (i % 2),
// word t + 4 (i / 2); register i of B row g, word t + 4 i; g = lane / 4, t = lane % 4. Eight independent
// accumulators a warp hide the latency.
template <int dtype, typename T>
static __device__ __forceinline__ void ceiling_matrix(const struct dev_ceiling_compute &args, T type) {
    const uint32_t lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    const uint64_t seed = args.seed + blockIdx.x + threadIdx.x / 32;
    uint32_t a[CEILING_A_TILES][4], b[CEILING_B_TILES][2];
#pragma unroll
    for (uint32_t tile = 0; tile < CEILING_A_TILES; ++tile)
#pragma unroll
        for (uint32_t i = 0; i < 4; ++i) {
            const uint32_t row = 16 * tile + g + 8 * (i % 2);
            a[tile][i] = dev_ceiling_word(dtype, seed, DEV_CEILING_A,
                                          row * DEV_CEILING_MMA_ROW_WORDS + t + 4 * (i / 2));
        }
#pragma unroll
    for (uint32_t tile = 0; tile < CEILING_B_TILES; ++tile)
#pragma unroll
        for (uint32_t i = 0; i < 2; ++i)
            b[tile][i] = dev_ceiling_word(dtype, seed, DEV_CEILING_B,
                                          (8 * tile + g) * DEV_CEILING_MMA_ROW_WORDS + t + 4 * i);
    float c[CEILING_A_TILES][CEILING_B_TILES][4] = {};
    for (uint32_t repeat = 0; repeat < args.repeats; ++repeat) {
#pragma unroll
        for (int i = 0; i < CEILING_A_TILES; ++i)
#pragma unroll
            for (int j = 0; j < CEILING_B_TILES; ++j) mma_sync(c[i][j], a[i], b[j][0], b[j][1], type);
    }
    double sum = 0;
#pragma unroll
    for (int i = 0; i < CEILING_A_TILES * CEILING_B_TILES * 4; ++i) sum += (&c[0][0][0])[i];
    if (args.sums) atomicAdd(args.sums, sum);
}

#endif
