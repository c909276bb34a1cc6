// SPDX-License-Identifier: Apache-2.0
//
// The matrix rate by wgmma, the widest instruction of sm_90a: m64n256, both operands in shared memory.
#ifndef DEVICE_CEILING_WGMMA_CUH
#define DEVICE_CEILING_WGMMA_CUH

#include "common/hopper.cuh"
#include "device/ceiling_kernel_core.h"

#define CEILING_WARPGROUP_ROWS    64
#define CEILING_WARPGROUP_THREADS 128
#define CEILING_K_STEPS           4 // of 32 bytes in a row

// Rows of 128 bytes with the 128-byte swizzle: the 16-byte piece p of row r lies at piece p ^ r % 8.
template <int dtype, int operand, int rows>
static __device__ __forceinline__ void ceiling_fill(uint32_t *tile, uint64_t seed) {
    for (uint32_t i = threadIdx.x; i < rows * DEV_CEILING_WGMMA_ROW_WORDS; i += DEV_CEILING_THREADS) {
        const uint32_t row = i / DEV_CEILING_WGMMA_ROW_WORDS, word = i % DEV_CEILING_WGMMA_ROW_WORDS;
        tile[row * DEV_CEILING_WGMMA_ROW_WORDS + (word ^ row % 8 * 4)] =
            dev_ceiling_word(dtype, seed, operand, i);
    }
}

// Groups of four instructions, of which one is in flight while the next is issued: the queue of the matrix
// unit never runs dry, and both warpgroups feed it.
template <int dtype, typename T>
static __device__ __forceinline__ void ceiling_matrix(const struct dev_ceiling_compute &args, T type) {
    __shared__ __align__(1024) uint32_t a[DEV_CEILING_WGMMA_A_ROWS * DEV_CEILING_WGMMA_ROW_WORDS];
    __shared__ __align__(1024) uint32_t b[DEV_CEILING_WGMMA_B_ROWS * DEV_CEILING_WGMMA_ROW_WORDS];
    ceiling_fill<dtype, DEV_CEILING_A, DEV_CEILING_WGMMA_A_ROWS>(a, args.seed + blockIdx.x);
    ceiling_fill<dtype, DEV_CEILING_B, DEV_CEILING_WGMMA_B_ROWS>(b, args.seed + blockIdx.x);
    fence_proxy_async_shared();
    __syncthreads();
    const uint64_t a_tile = wgmma_descriptor(descriptor_units(a));
    const uint64_t b_tile = wgmma_descriptor(descriptor_units(b));
    float c[CEILING_WARPGROUP_ROWS * DEV_CEILING_WGMMA_B_ROWS / CEILING_WARPGROUP_THREADS] = {};
    warpgroup_fence_operand(c);
    for (uint32_t repeat = 0; repeat < args.repeats; ++repeat) {
        warpgroup_arrive();
#pragma unroll
        for (int step = 0; step < CEILING_K_STEPS; ++step)
            wgmma_ss(c, a_tile + step * DESCRIPTOR_STEP_K_MAJOR, b_tile + step * DESCRIPTOR_STEP_K_MAJOR, 1,
                     type);
        warpgroup_commit_batch();
        warpgroup_wait<1>();
    }
    warpgroup_wait<0>();
    warpgroup_fence_operand(c);
    double sum = 0;
#pragma unroll
    for (float x : c) sum += x;
    if (args.sums) atomicAdd(args.sums, sum);
}

#endif
