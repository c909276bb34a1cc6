// SPDX-License-Identifier: Apache-2.0
//
// The functions of kernels/common/mma_sm89.cuh for the emulator; mma_sync is mma_sm80.cuh's.
#ifndef COMMON_MMA_SM89_CUH
#define COMMON_MMA_SM89_CUH

#include "common/mma_sm80.cuh"

inline uint32_t mma_widen_e4m3x2(uint32_t pair) {
    return convert_float_to_fp16(convert_e4m3_to_float((uint8_t)pair)) |
           (uint32_t)convert_float_to_fp16(convert_e4m3_to_float((uint8_t)(pair >> 8))) << 16;
}

#endif
