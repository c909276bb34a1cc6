// SPDX-License-Identifier: Apache-2.0
//
// bf16 in plain C: the upper half of a float. For the kernels beside it.
#ifndef BF16_H
#define BF16_H

#include <stdint.h>
#include <string.h>

static inline float from_bf16(uint16_t value) {
    const uint32_t bits = (uint32_t)value << 16;
    float result;
    memcpy(&result, &bits, sizeof result);
    return result;
}

// The nearest, of two the even one. NaN stays NaN.
static inline uint16_t to_bf16(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (value != value) return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

#endif
