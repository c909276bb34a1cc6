// SPDX-License-Identifier: Apache-2.0
#ifndef EMULATOR_CUDA_FP8_H
#define EMULATOR_CUDA_FP8_H

#include "cuda_fp16.h"

struct __nv_fp8_e4m3 {
    uint8_t x;
};
enum { __NV_E4M3, __NV_SATFINITE };

constexpr emulator::element emulator_element(__nv_fp8_e4m3) {
    return emulator::ELEMENT_E4M3;
}

inline __half_raw __nv_cvt_fp8_to_halfraw(uint8_t x, int) {
    return {convert_float_to_fp16(convert_e4m3_to_float(x))};
}
inline uint8_t __nv_cvt_float_to_fp8(float f, int, int) {
    return convert_float_to_e4m3(f);
}

#endif
