// SPDX-License-Identifier: Apache-2.0
//
// The functions of kernels/common/thread_block.cuh for the emulator.
#ifndef COMMON_THREAD_BLOCK_CUH
#define COMMON_THREAD_BLOCK_CUH

#include "emulator.h"

inline uint32_t thread_block_number() {
    return blockIdx.x;
}
template <int alignment> unsigned char *thread_block_shared() {
    return emulator::dynamic_shared(alignment);
}

// The 32-bit address in the shared state space that PTX instructions take.
inline uint32_t smem_address(const void *p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}

#endif
