// SPDX-License-Identifier: Apache-2.0
//
// Products of e4m3 with sums in fp32: mma.sync of e4m3 and fp8 wgmma keep 13 bits of a sum, so operands are
// widened to fp16. No PTX here: the tests' emulator uses this file unchanged.
#ifndef COMMON_MMA_WIDENED_E4M3_CUH
#define COMMON_MMA_WIDENED_E4M3_CUH

#include <cuda_fp16.h>
#include <stdint.h>

#include "common/mma_sm80.cuh"
#include "common/mma_sm89.cuh"

// Selects mma_sync below.
struct mma_widened_e4m3 {};

// c += a b, one warp; operands as mma.sync m16n8k32 of e4m3 has them. Each register of four bytes gives two
// of two halves; this permutes k, in the same way in both operands.
__device__ __forceinline__ void mma_sync(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1,
                                         mma_widened_e4m3) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        const uint32_t *pair = a + 2 * half, b = half ? b1 : b0;
        const uint32_t wide[4] = {mma_widen_e4m3x2(pair[0]), mma_widen_e4m3x2(pair[1]),
                                  mma_widen_e4m3x2(pair[0] >> 16), mma_widen_e4m3x2(pair[1] >> 16)};
        mma_sync(c, wide, mma_widen_e4m3x2(b), mma_widen_e4m3x2(b >> 16), __half());
    }
}

#endif
