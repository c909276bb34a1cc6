// SPDX-License-Identifier: Apache-2.0
#ifndef EMULATOR_CUDA_FP16_H
#define EMULATOR_CUDA_FP16_H

#include "common/convert.h"
#include "emulator.h"

struct __half_raw {
    unsigned short x;
};
struct __half {
    unsigned short x;
    constexpr __half() : x(0) {}
    explicit __half(__half_raw raw) : x(raw.x) {}
};
struct __half2 {
    __half x, y;
};

constexpr emulator::element emulator_element(__half) {
    return emulator::ELEMENT_FP16;
}
inline float __half2float(__half h) {
    return convert_fp16_to_float(h.x);
}
inline __half __float2half_rn(float f) {
    return __half(__half_raw{convert_float_to_fp16(f)});
}
inline __half2 __floats2half2_rn(float low, float high) {
    return {__float2half_rn(low), __float2half_rn(high)};
}
inline __half __ushort_as_half(unsigned short x) {
    return __half(__half_raw{x});
}

#endif
