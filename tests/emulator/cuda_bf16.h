// SPDX-License-Identifier: Apache-2.0
#ifndef EMULATOR_CUDA_BF16_H
#define EMULATOR_CUDA_BF16_H

#include "common/convert.h"
#include "emulator.h"

struct __nv_bfloat16 {
    unsigned short x;
};
struct __nv_bfloat162 {
    __nv_bfloat16 x, y;
};

constexpr emulator::element emulator_element(__nv_bfloat16) {
    return emulator::ELEMENT_BF16;
}
inline float __bfloat162float(__nv_bfloat16 h) {
    return convert_bf16_to_float(h.x);
}
inline __nv_bfloat16 __float2bfloat16_rn(float f) {
    return {convert_float_to_bf16(f)};
}
inline __nv_bfloat162 __floats2bfloat162_rn(float low, float high) {
    return {__float2bfloat16_rn(low), __float2bfloat16_rn(high)};
}
inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short x) {
    return {x};
}

#endif
