// SPDX-License-Identifier: Apache-2.0
//
// PTX instructions of sm_89 for fp8 e4m3 as functions: mma.sync m16n8k32, and widening to fp16. No algorithm
// here.
//
// Fragments of one warp, g = lane / 4, t = lane % 4 (PTX ISA, "Matrix Fragments for mma.m16n8k32"), four
// elements a register, the first in the low byte. In bytes they are those of mma_sm80.cuh:
//   A 16x32  a[0] row g, columns 4t .. 4t+3    a[1] row g+8, the same columns
//           a[2] row g, columns 4t+16 ..      a[3] row g+8, the same columns
//   B 32x8   b[0] rows 4t .. 4t+3 of column g    b[1] rows 4t+16 ..
//   C 16x8   as there
#ifndef COMMON_MMA_SM89_CUH
#define COMMON_MMA_SM89_CUH

#include <cuda_fp8.h>
#include <stdint.h>

// c += a b, one warp.
__device__ __forceinline__ void mma_sync(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1,
                                         __nv_fp8_e4m3) {
    asm("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// The two e4m3 in the low 16 bits widened to fp16, exactly: every e4m3 is an fp16 number, NaN stays NaN.
__device__ __forceinline__ uint32_t mma_widen_e4m3x2(uint32_t pair) {
    uint32_t wide;
    asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(wide) : "h"((unsigned short)pair));
    return wide;
}

#endif
