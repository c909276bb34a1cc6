// SPDX-License-Identifier: Apache-2.0
//
// The functions of kernels/common/mma_sm80.cuh for the emulator.
#ifndef COMMON_MMA_SM80_CUH
#define COMMON_MMA_SM80_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <stdint.h>

#include "common/mma_operand.cuh"
#include "emulator.h"

inline void copy_sync_16(uint32_t shared, const void *global, bool is_inside) {
    if (is_inside)
        memcpy(emulator::at(shared), global, MMA_CHUNK_BYTES);
    else
        memset(emulator::at(shared), 0, MMA_CHUNK_BYTES);
}
inline void cp_async_16(uint32_t shared, const void *global, bool is_inside) {
    emulator::now_or_later(emulator::WORK_COPY, [=] { copy_sync_16(shared, global, is_inside); });
}
inline void cp_async_16_part(uint32_t shared, const void *global, uint32_t bytes) {
    emulator::now_or_later(emulator::WORK_COPY, [=] {
        memset(emulator::at(shared), 0, MMA_CHUNK_BYTES);
        memcpy(emulator::at(shared), global, bytes);
    });
}
inline void cp_async_commit_group() {
    emulator::work_commit(emulator::WORK_COPY);
}
template <int pending> void cp_async_wait_group() {
    emulator::work_wait(emulator::WORK_COPY, pending);
}

inline void ldmatrix_x4(uint32_t (&ret)[4], uint32_t shared) {
    emulator::load_matrices(ret, shared, false);
}
inline void ldmatrix_x4_trans(uint32_t (&ret)[4], uint32_t shared) {
    emulator::load_matrices(ret, shared, true);
}
inline void lds_128(uint32_t (&ret)[4], uint32_t shared) {
    memcpy(ret, emulator::at(shared), MMA_CHUNK_BYTES);
}
inline void sts_128(uint32_t shared, const uint32_t *from) {
    memcpy(emulator::at(shared), from, MMA_CHUNK_BYTES);
}

template <typename T> void mma_sync(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1, T) {
    emulator::multiply(emulator_element(T()), c, a, b0, b1);
}

// ex2.approx.ftz: 0 below 2^-126.
inline float exp2_approx(float x) {
    const float ret = exp2f(x);
    return ret < 0x1p-126f ? 0.0f : ret;
}

#endif
