// SPDX-License-Identifier: Apache-2.0
//
// Thread block: its number, its dynamic shared memory, addresses of shared memory.
#ifndef COMMON_THREAD_BLOCK_CUH
#define COMMON_THREAD_BLOCK_CUH

#include <stdint.h>

// blockIdx.x, read anew in every call, so that the compiler holds no value derived from it in a register.
__device__ __forceinline__ uint32_t thread_block_number() {
    uint32_t ret;
    asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(ret));
    return ret;
}

// The dynamic shared memory of the launch. All calls of a kernel use the same alignment.
template <int alignment> __device__ __forceinline__ unsigned char *thread_block_shared() {
    extern __shared__ __align__(alignment) unsigned char dynamic[];
    return dynamic;
}

// The 32-bit address in the shared state space that PTX instructions take.
__device__ __forceinline__ uint32_t smem_address(const void *p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}

#endif
