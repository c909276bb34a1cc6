// SPDX-License-Identifier: Apache-2.0
//
// Operands of mma_sm80.cuh's instructions: pairs of 16-bit elements in a register. No PTX here: the tests'
// emulator uses this file unchanged.
#ifndef COMMON_MMA_OPERAND_CUH
#define COMMON_MMA_OPERAND_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>

#define MMA_CHUNK_BYTES 16 // one cp.async, and one row of an ldmatrix matrix

// Two values rounded to nearest even, the first in the low 16 bits. The last argument only selects the type.
__device__ __forceinline__ uint32_t mma_pack(float low, float high, __half) {
    const __half2 pair = __floats2half2_rn(low, high);
    return *reinterpret_cast<const uint32_t *>(&pair);
}

__device__ __forceinline__ uint32_t mma_pack(float low, float high, __nv_bfloat16) {
    const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
    return *reinterpret_cast<const uint32_t *>(&pair);
}

// Two neighbouring C fragments, rounded to 16 bits: one A fragment.
template <typename T>
__device__ __forceinline__ void mma_pack_tiles(uint32_t (&ret)[4], const float (&left)[4],
                                               const float (&right)[4], T type) {
    ret[0] = mma_pack(left[0], left[1], type);
    ret[1] = mma_pack(left[2], left[3], type);
    ret[2] = mma_pack(right[0], right[1], type);
    ret[3] = mma_pack(right[2], right[3], type);
}

// The exponent bits: all set in infinities and NaNs, and only there.
__device__ __forceinline__ uint32_t mma_exponent_mask(__half) {
    return 0x7c00u;
}

__device__ __forceinline__ uint32_t mma_exponent_mask(__nv_bfloat16) {
    return 0x7f80u;
}

__device__ __forceinline__ float mma_widen(uint32_t half_bits, __half) {
    return __half2float(__ushort_as_half((unsigned short)half_bits));
}

__device__ __forceinline__ float mma_widen(uint32_t half_bits, __nv_bfloat16) {
    return __bfloat162float(__ushort_as_bfloat16((unsigned short)half_bits));
}

#endif
