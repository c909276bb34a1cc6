// SPDX-License-Identifier: Apache-2.0
//
// Conversions of one element of fp16, bf16 or fp8 e4m3fn to fp32 and back: bit exact, round to nearest even,
// in portable C. The directions towards fp32 have no branches, so that loops over them vectorise. Widening is
// exact and keeps NaN payloads; narrowing gives a quiet NaN for NaN. fp16 and bf16 overflow to infinity, e4m3
// (which has none) saturates at 448. Needs gradual underflow (no flush to zero).
#ifndef COMMON_CONVERT_H
#define COMMON_CONVERT_H

#include <assay/kernel.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint32_t convert_float_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float convert_bits_float(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Exponent and mantissa, moved to their fp32 positions, read as value * 2^-112; the multiplication corrects
// the bias and normalises subnormals. A result of 2^16 or more had the largest exponent: infinity or NaN.
static inline float convert_fp16_to_float(uint16_t half) {
    const float magnitude = convert_bits_float((uint32_t)(half & 0x7fffu) << 13) * 0x1p112f;
    const uint32_t special = magnitude >= 65536.0f ? 0x7f800000u : 0u;
    return convert_bits_float(convert_float_bits(magnitude) | special | (uint32_t)(half & 0x8000u) << 16);
}

static inline uint16_t convert_float_to_fp16(float value) {
    const uint32_t bits = convert_float_bits(value);
    const uint32_t sign = bits >> 16 & 0x8000u;
    const uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return (uint16_t)(sign | 0x7e00u | (magnitude >> 13 & 0x1ffu));
    // From 65520 on, half way past the largest number, 65504.
    if (magnitude >= 0x477ff000u) return (uint16_t)(sign | 0x7c00u);
    // Below 2^-14: subnormal, spacing 2^-24, which is fp32's spacing at 0.5.
    if (magnitude < 0x38800000u) {
        const float aligned = convert_bits_float(magnitude) + 0.5f;
        return (uint16_t)(sign | (convert_float_bits(aligned) - 0x3f000000u));
    }
    return (uint16_t)(sign | ((magnitude - 0x38000000u + 0xfffu + (magnitude >> 13 & 1u)) >> 13));
}

static inline float convert_bf16_to_float(uint16_t value) {
    return convert_bits_float((uint32_t)value << 16);
}

static inline uint16_t convert_float_to_bf16(float value) {
    const uint32_t bits = convert_float_bits(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return (uint16_t)(bits >> 16 | 0x40u);
    return (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

static inline float convert_e4m3_to_float(uint8_t value) {
    const float magnitude = convert_bits_float((uint32_t)(value & 0x7fu) << 20) * 0x1p120f;
    const uint32_t special = magnitude >= 480.0f ? 0x7fc00000u : 0u; // 0x7f would be 480: it is NaN
    return convert_bits_float(convert_float_bits(magnitude) | special | (uint32_t)(value & 0x80u) << 24);
}

static inline uint8_t convert_float_to_e4m3(float value) {
    const uint32_t bits = convert_float_bits(value);
    const uint32_t sign = bits >> 24 & 0x80u;
    const uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return (uint8_t)(sign | 0x7fu);
    // Saturates at 448.
    if (magnitude >= 0x43e00000u) return (uint8_t)(sign | 0x7eu);
    // Below 2^-6: subnormal, spacing 2^-9, which is fp32's spacing at 2^14.
    if (magnitude < 0x3c800000u) {
        const float aligned = convert_bits_float(magnitude) + 16384.0f;
        return (uint8_t)(sign | (convert_float_bits(aligned) - 0x46800000u));
    }
    return (uint8_t)(sign | ((magnitude - 0x3c000000u + 0x7ffffu + (magnitude >> 20 & 1u)) >> 20));
}

// Bytes of one element; 0 for types that are not floating point of at most 32 bits.
static inline size_t convert_dtype_bytes(int32_t dtype) {
    switch (dtype) {
    case ASSAY_FP32: return 4;
    case ASSAY_FP16:
    case ASSAY_BF16: return 2;
    case ASSAY_FP8_E4M3: return 1;
    default: return 0;
    }
}

// Rounds to the nearest value of dtype.
static inline float convert_round(float value, int32_t dtype) {
    switch (dtype) {
    case ASSAY_FP16: return convert_fp16_to_float(convert_float_to_fp16(value));
    case ASSAY_BF16: return convert_bf16_to_float(convert_float_to_bf16(value));
    case ASSAY_FP8_E4M3: return convert_e4m3_to_float(convert_float_to_e4m3(value));
    default: return value;
    }
}

// Converts count contiguous elements to fp32.
static inline void convert_row_to_float(const void *elements, int32_t dtype, int64_t count, float *ret) {
    const uint16_t *halves = (const uint16_t *)elements;
    const uint8_t *bytes = (const uint8_t *)elements;
    switch (dtype) {
    case ASSAY_FP16:
        for (int64_t i = 0; i < count; ++i) ret[i] = convert_fp16_to_float(halves[i]);
        break;
    case ASSAY_BF16:
        for (int64_t i = 0; i < count; ++i) ret[i] = convert_bf16_to_float(halves[i]);
        break;
    case ASSAY_FP8_E4M3:
        for (int64_t i = 0; i < count; ++i) ret[i] = convert_e4m3_to_float(bytes[i]);
        break;
    default: memcpy(ret, elements, (size_t)count * sizeof(float)); break;
    }
}

// Converts count fp32 values to contiguous elements, rounded to nearest even.
static inline void convert_row_from_float(const float *values, int32_t dtype, int64_t count, void *ret) {
    uint16_t *halves = (uint16_t *)ret;
    uint8_t *bytes = (uint8_t *)ret;
    switch (dtype) {
    case ASSAY_FP16:
        for (int64_t i = 0; i < count; ++i) halves[i] = convert_float_to_fp16(values[i]);
        break;
    case ASSAY_BF16:
        for (int64_t i = 0; i < count; ++i) halves[i] = convert_float_to_bf16(values[i]);
        break;
    case ASSAY_FP8_E4M3:
        for (int64_t i = 0; i < count; ++i) bytes[i] = convert_float_to_e4m3(values[i]);
        break;
    default: memcpy(ret, values, (size_t)count * sizeof(float)); break;
    }
}

#endif
