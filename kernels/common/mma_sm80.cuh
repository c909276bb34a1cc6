// SPDX-License-Identifier: Apache-2.0
// PTX instructions of sm_80 as functions: cp.async, ldmatrix, mma.sync m16n8k16, ex2. No algorithm here.
//
// Fragments of one warp, g = lane / 4, t = lane % 4 (PTX ISA, "Matrix Fragments for mma.m16n8k16"):
//   A 16x16  a[0] row g, columns 2t, 2t+1       a[1] row g+8, the same columns
//           a[2] row g, columns 2t+8, 2t+9   a[3] row g+8, the same columns
//   B 16x8   b[0] rows 2t, 2t+1 of column g    b[1] rows 2t+8, 2t+9
//   C 16x8   c[0], c[1] row g, columns 2t, 2t+1    c[2], c[3] row g+8
#ifndef COMMON_MMA_SM80_CUH
#define COMMON_MMA_SM80_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>

#include "common/mma_operand.cuh"
#include "common/mma_tf32.cuh"

// Copies the first `bytes` (0 to 16) of 16 bytes from global to shared memory, and writes zeros for the
// others.
__device__ __forceinline__ void cp_async_16_part(uint32_t shared, const void *global, uint32_t bytes) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(global), "r"(bytes)
                 : "memory");
}

// The same for all 16 bytes, or for none if is_inside is false (nothing is read then).
__device__ __forceinline__ void cp_async_16(uint32_t shared, const void *global, bool is_inside) {
    cp_async_16_part(shared, global, is_inside ? 16u : 0u);
}

// The same through registers: the thread waits for the data, and cp.async groups do not cover it. What
// `global` points to must not change while the kernel runs.
__device__ __forceinline__ void copy_sync_16(uint32_t shared, const void *global, bool is_inside) {
    const uint4 chunk = is_inside ? __ldg(static_cast<const uint4 *>(global)) : uint4{};
    asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(shared), "r"(chunk.x), "r"(chunk.y),
                 "r"(chunk.z), "r"(chunk.w)
                 : "memory");
}

__device__ __forceinline__ void cp_async_commit_group() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits until at most `pending` of this thread's groups are in flight. A barrier must follow before data that
// other threads copied is read.
template <int pending> __device__ __forceinline__ void cp_async_wait_group() {
    asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

// Four 8x8 matrices of 16-bit elements; lanes 0-7 address the rows of the first, 8-15 of the second, and so
// on.
__device__ __forceinline__ void ldmatrix_x4(uint32_t (&ret)[4], uint32_t shared) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(ret[0]), "=r"(ret[1]), "=r"(ret[2]), "=r"(ret[3])
                 : "r"(shared)
                 : "memory");
}

__device__ __forceinline__ void ldmatrix_x4_trans(uint32_t (&ret)[4], uint32_t shared) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(ret[0]), "=r"(ret[1]), "=r"(ret[2]), "=r"(ret[3])
                 : "r"(shared)
                 : "memory");
}

// 16 bytes of shared memory.
__device__ __forceinline__ void lds_128(uint32_t (&ret)[4], uint32_t shared) {
    asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(ret[0]), "=r"(ret[1]), "=r"(ret[2]), "=r"(ret[3])
                 : "r"(shared)
                 : "memory");
}
__device__ __forceinline__ void sts_128(uint32_t shared, const uint32_t *from) {
    asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(shared), "r"(from[0]), "r"(from[1]),
                 "r"(from[2]), "r"(from[3])
                 : "memory");
}

// c += a b, one warp.
__device__ __forceinline__ void mma_sync(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1,
                                         __half) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ __forceinline__ void mma_sync(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1,
                                         __nv_bfloat16) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// m16n8k8; in bytes the fragments are the same.
__device__ __forceinline__ void mma_sync(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1,
                                         mma_tf32) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// 2^x by the special-function unit (MUFU): 0 for -infinity and results below 2^-126, NaN for NaN.
__device__ __forceinline__ float exp2_approx(float x) {
    float result;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
}

#endif
