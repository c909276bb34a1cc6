// SPDX-License-Identifier: Apache-2.0
//
// The arithmetic of our device kernels, once for nvcc (device_kernels.cu) and for C (the fake driver of
// the tests, the check on the host): elements of every type, hashing, the comparison of an element with
// float64. Random words are in device_random.h. An operator's own arithmetic has a file of its own
// (src/op/<name>/device_<name>_core.h). Files that include this are compiled without contraction of a*b+c,
// so that both give the same bits. Those files distribute the work over blocks and threads.
#ifndef DEVICE_DEVICE_KERNEL_CORE_H
#define DEVICE_DEVICE_KERNEL_CORE_H

#include <assay/kernel.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "device/device_kernel_args.h"

#ifdef __CUDACC__
#define DEV_FN static __device__ __forceinline__
#else
#define DEV_FN static inline
#endif

#define DEV_NONE          UINT64_MAX // no index
#define DEV_SIGN_BIT      (UINT64_C(1) << 63)
#define DEV_INFINITY_BITS (UINT64_C(0x7ff) << 52)
#define DEV_LN2           0x1.62e42fefa39efp-1

// ---- bits ----

DEV_FN uint64_t dev_bits(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

DEV_FN double dev_double(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

DEV_FN uint32_t dev_float_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

DEV_FN float dev_float(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

DEV_FN int dev_is_finite(double value) {
    return (dev_bits(value) & DEV_INFINITY_BITS) != DEV_INFINITY_BITS;
}

// ---- elements ----

// dev_read_u16(data, index) and the like. On the host they go through memcpy: buffers are raw memory there.
#ifdef __CUDACC__
#define DEV_ACCESS(name, type)                                                                               \
    DEV_FN type dev_read_##name(const void *data, int64_t index) {                                           \
        return ((const type *)data)[index];                                                                  \
    }                                                                                                        \
    DEV_FN void dev_write_##name(void *data, int64_t index, type value) {                                    \
        ((type *)data)[index] = value;                                                                       \
    }
#else
#define DEV_ACCESS(name, type)                                                                               \
    DEV_FN type dev_read_##name(const void *data, int64_t index) {                                           \
        type value;                                                                                          \
        memcpy(&value, (const char *)data + index * (int64_t)sizeof value, sizeof value);                    \
        return value;                                                                                        \
    }                                                                                                        \
    DEV_FN void dev_write_##name(void *data, int64_t index, type value) {                                    \
        memcpy((char *)data + index * (int64_t)sizeof value, &value, sizeof value);                          \
    }
#endif
DEV_ACCESS(u8, uint8_t)
DEV_ACCESS(u16, uint16_t)
DEV_ACCESS(u32, uint32_t)
DEV_ACCESS(i8, int8_t)
DEV_ACCESS(i16, int16_t)
DEV_ACCESS(i32, int32_t)
DEV_ACCESS(i64, int64_t)
DEV_ACCESS(float, float)
DEV_ACCESS(double, double)

#define DEV_BYTES_CASE(id, number, name, bits, ...)                                                          \
    case ASSAY_##id: return (bits) / 8;
DEV_FN uint32_t dev_dtype_bytes(int32_t dtype) {
    switch (dtype) {
        ASSAY_DTYPES(DEV_BYTES_CASE)
    default: return 4;
    }
}

// The code of |value| in a narrow format, to nearest, ties to even. Codes count up with the magnitude:
// subnormals, normals, then overflow_code, which is infinity or, in a format without one, the largest number.
DEV_FN uint64_t dev_narrow(double value, int fraction_bits, int exponent_min, uint64_t overflow_code,
                           uint64_t nan_code) {
    const uint64_t magnitude = dev_bits(value) & ~DEV_SIGN_BIT;
    const int shift = 52 - fraction_bits;
    if (magnitude > DEV_INFINITY_BITS) return nan_code;
    if (magnitude < (uint64_t)(1023 + exponent_min) << 52) { // subnormal: the addition rounds to its unit
        const uint64_t unit = (uint64_t)(1023 + exponent_min - fraction_bits + 52) << 52;
        return dev_bits(dev_double(magnitude) + dev_double(unit)) - unit;
    }
    const uint64_t half = (UINT64_C(1) << (shift - 1)) - 1 + ((magnitude >> shift) & 1);
    const uint64_t bias = (uint64_t)(1022 + exponent_min) << fraction_bits;
    const uint64_t code = ((magnitude + half) >> shift) - bias;
    return code > overflow_code ? overflow_code : code;
}

DEV_FN uint16_t dev_store_fp16(double value) {
    return (uint16_t)(dev_narrow(value, 10, -14, 0x7c00, 0x7e00) | (dev_bits(value) >> 48 & 0x8000));
}

DEV_FN uint16_t dev_store_bf16(double value) {
    return (uint16_t)(dev_narrow(value, 7, -126, 0x7f80, 0x7fc0) | (dev_bits(value) >> 48 & 0x8000));
}

DEV_FN uint8_t dev_store_e4m3(double value) {
    return (uint8_t)(dev_narrow(value, 3, -6, 0x7e, 0x7f) | (dev_bits(value) >> 56 & 0x80));
}

DEV_FN uint8_t dev_store_e5m2(double value) {
    return (uint8_t)(dev_narrow(value, 2, -14, 0x7c, 0x7e) | (dev_bits(value) >> 56 & 0x80));
}

// A NaN keeps its sign and the payload bits that fit, as on a CPU; a GPU's conversion instruction would
// not keep them.
DEV_FN uint32_t dev_store_fp32(double value) {
    const uint64_t bits = dev_bits(value);
    if (value == value) return dev_float_bits((float)value);
    return (uint32_t)(bits >> 32 & 0x80000000u) | 0x7fc00000u | (uint32_t)(bits >> 29 & 0x3fffffu);
}

// Rounds to nearest even; saturates at min and max; NaN becomes 0.
DEV_FN int64_t dev_store_integer(double value, int64_t min, int64_t max) {
    const double rounded = nearbyint(value);
    if (!(rounded > (double)min)) return value != value ? 0 : min;
    return rounded >= (double)max ? max : (int64_t)rounded;
}

// Converts a narrow floating-point code to fp32 exactly. Its fields, shifted to their positions in fp32,
// read as the value times a power of two; a multiplication corrects that and makes subnormals normal. A
// product above the format's largest number was infinity or NaN.
DEV_FN float dev_load_fp16(uint32_t code) {
    const float magnitude = dev_float((code & 0x7fffu) << 13) * 0x1p112f;
    const uint32_t special = magnitude >= 65536.0f ? 0x7f800000u : 0u;
    return dev_float(dev_float_bits(magnitude) | special | (code & 0x8000u) << 16);
}

DEV_FN float dev_load_bf16(uint32_t code) {
    return dev_float(code << 16);
}

DEV_FN float dev_load_e4m3(uint32_t code) {
    const float magnitude = dev_float((code & 0x7fu) << 20) * 0x1p120f;
    const uint32_t special = magnitude >= 480.0f ? 0x7fc00000u : 0u;
    return dev_float(dev_float_bits(magnitude) | special | (code & 0x80u) << 24);
}

// An exponent; 255 is NaN.
DEV_FN double dev_load_e8m0(uint32_t code) {
    return dev_double(code == 0xff ? UINT64_C(0x7ff8) << 48 : (uint64_t)(code + 1023 - 127) << 52);
}

DEV_FN uint8_t dev_store_e8m0(double value) {
    const uint64_t magnitude = dev_bits(value) & ~DEV_SIGN_BIT, half = UINT64_C(1) << 51;
    const int64_t code = (int64_t)((magnitude + half) >> 52) - (1023 - 127);
    return (uint8_t)(code < 0 ? 0 : code > 0xff ? 0xff : code);
}

// Element `index` of contiguous elements at `data`, which is aligned to the element. For fp32, fp16, bf16 and
// e4m3: kernels that hold many numbers have no registers for more types.
DEV_FN float dev_load_float(int32_t dtype, const void *data, int64_t index) {
    switch (dtype) {
    case ASSAY_FP16: return dev_load_fp16(dev_read_u16(data, index));
    case ASSAY_BF16: return dev_load_bf16(dev_read_u16(data, index));
    case ASSAY_FP8_E4M3: return dev_load_e4m3(dev_read_u8(data, index));
    default: return dev_read_float(data, index);
    }
}

DEV_FN void dev_store_float(int32_t dtype, void *data, int64_t index, double value) {
    switch (dtype) {
    case ASSAY_FP16: dev_write_u16(data, index, dev_store_fp16(value)); return;
    case ASSAY_BF16: dev_write_u16(data, index, dev_store_bf16(value)); return;
    case ASSAY_FP8_E4M3: dev_write_u8(data, index, dev_store_e4m3(value)); return;
    default: dev_write_u32(data, index, dev_store_fp32(value)); return;
    }
}

// The same for every type: a name for each, so that none is forgotten.
#define DEV_LOAD_FP32(data, index)     (double)dev_read_float(data, index)
#define DEV_LOAD_FP16(data, index)     (double)dev_load_fp16(dev_read_u16(data, index))
#define DEV_LOAD_BF16(data, index)     (double)dev_load_bf16(dev_read_u16(data, index))
#define DEV_LOAD_FP8_E4M3(data, index) (double)dev_load_e4m3(dev_read_u8(data, index))
#define DEV_LOAD_FP64(data, index)     dev_read_double(data, index)
#define DEV_LOAD_INT32(data, index)    (double)dev_read_i32(data, index)
#define DEV_LOAD_FP8_E5M2(data, index)                                                                       \
    (double)dev_load_fp16((uint32_t)dev_read_u8(data, index) << 8) // upper half
#define DEV_LOAD_INT8(data, index)       (double)dev_read_i8(data, index)
#define DEV_LOAD_INT64(data, index)      (double)dev_read_i64(data, index)
#define DEV_LOAD_UINT8(data, index)      (double)dev_read_u8(data, index)
#define DEV_LOAD_INT16(data, index)      (double)dev_read_i16(data, index)
#define DEV_LOAD_BOOL(data, index)       (double)dev_read_u8(data, index)
#define DEV_LOAD_FP4_E2M1X2(data, index) (double)dev_read_u8(data, index)
#define DEV_LOAD_E8M0(data, index)       dev_load_e8m0(dev_read_u8(data, index))
#define DEV_LOAD_CASE(id, ...)                                                                               \
    case ASSAY_##id: return DEV_LOAD_##id(data, index);
DEV_FN double dev_load(int32_t dtype, const void *data, int64_t index) {
    switch (dtype) {
        ASSAY_DTYPES(DEV_LOAD_CASE)
    default: return 0;
    }
}

#define DEV_STORE_FP32(data, index, value)     dev_write_u32(data, index, dev_store_fp32(value))
#define DEV_STORE_FP16(data, index, value)     dev_write_u16(data, index, dev_store_fp16(value))
#define DEV_STORE_BF16(data, index, value)     dev_write_u16(data, index, dev_store_bf16(value))
#define DEV_STORE_FP8_E4M3(data, index, value) dev_write_u8(data, index, dev_store_e4m3(value))
#define DEV_STORE_FP64(data, index, value)     dev_write_double(data, index, value)
#define DEV_STORE_INT32(data, index, value)                                                                  \
    dev_write_i32(data, index, (int32_t)dev_store_integer(value, INT32_MIN, INT32_MAX))
#define DEV_STORE_FP8_E5M2(data, index, value) dev_write_u8(data, index, dev_store_e5m2(value))
#define DEV_STORE_INT8(data, index, value)                                                                   \
    dev_write_i8(data, index, (int8_t)dev_store_integer(value, INT8_MIN, INT8_MAX))
#define DEV_STORE_INT64(data, index, value)                                                                  \
    dev_write_i64(data, index, dev_store_integer(value, INT64_MIN, INT64_MAX))
#define DEV_STORE_UINT8(data, index, value)                                                                  \
    dev_write_u8(data, index, (uint8_t)dev_store_integer(value, 0, UINT8_MAX))
#define DEV_STORE_INT16(data, index, value)                                                                  \
    dev_write_i16(data, index, (int16_t)dev_store_integer(value, INT16_MIN, INT16_MAX))
#define DEV_STORE_BOOL(data, index, value)       dev_write_u8(data, index, (value) != 0)
#define DEV_STORE_FP4_E2M1X2(data, index, value) DEV_STORE_UINT8(data, index, value)
#define DEV_STORE_E8M0(data, index, value)       dev_write_u8(data, index, dev_store_e8m0(value))
#define DEV_STORE_CASE(id, ...)                                                                              \
    case ASSAY_##id: DEV_STORE_##id(data, index, value); return;
DEV_FN void dev_store(int32_t dtype, void *data, int64_t index, double value) {
    switch (dtype) {
        ASSAY_DTYPES(DEV_STORE_CASE)
    default: return;
    }
}

// |value| rounded to a format that keeps `dropped` bits less of a float's fraction. Adding and subtracting
// `unit_at`, whose unit is the format's smallest step, rounds numbers in its subnormal range; numbers that
// are rounded past `largest` become `overflow`.
DEV_FN float dev_round_magnitude(float magnitude, int dropped, float normal_min, float unit_at, float largest,
                                 float overflow) {
    const uint32_t bits = dev_float_bits(magnitude), lowest = 1u << dropped;
    const float normal = dev_float((bits + (lowest / 2 - 1) + (bits >> dropped & 1u)) & ~(lowest - 1u));
    const float rounded = magnitude < normal_min ? magnitude + unit_at - unit_at : normal;
    return rounded > largest ? overflow : rounded;
}

// The nearest value that dtype (fp32, fp16, bf16 or e4m3) can hold.
DEV_FN float dev_round(int32_t dtype, float value) {
    const uint32_t bits = dev_float_bits(value), sign = bits & 0x80000000u;
    const float magnitude = dev_float(bits & 0x7fffffffu);
    float rounded = magnitude;
    if (value != value) return value;
    if (dtype == ASSAY_FP16) rounded = dev_round_magnitude(magnitude, 13, 0x1p-14f, 0.5f, 65504.0f, INFINITY);
    if (dtype == ASSAY_BF16) rounded = dev_round_magnitude(magnitude, 16, 0.0f, 0.0f, INFINITY, INFINITY);
    if (dtype == ASSAY_FP8_E4M3)
        rounded = dev_round_magnitude(magnitude, 20, 0x1p-6f, 16384.0f, 448.0f, 448.0f);
    return dev_float(dev_float_bits(rounded) | sign);
}

// ---- hashing: the finaliser of SplitMix64 (Steele, Lea, Flood 2014) ----

#define DEV_GOLDEN UINT64_C(0x9e3779b97f4a7c15) // 2^64 / golden ratio

DEV_FN uint64_t dev_mix(uint64_t z) {
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

// ---- memory ----

DEV_FN uint8_t dev_pattern_byte(uint64_t pattern, uint64_t index) {
    return (uint8_t)(pattern >> (index % 8 * 8));
}

// The 8 bytes of the pattern that begin at byte `index`.
DEV_FN uint64_t dev_pattern_word(uint64_t pattern, uint64_t index) {
    const int shift = (int)(index % 8 * 8);
    return shift ? pattern >> shift | pattern << (64 - shift) : pattern;
}

// Up to 8 bytes, zero-extended, little endian; any alignment.
DEV_FN uint64_t dev_gather(const void *data, uint64_t bytes) {
    uint64_t word = 0;
    for (uint64_t i = 0; i < bytes && i < 8; ++i) word |= (uint64_t)((const uint8_t *)data)[i] << (8 * i);
    return word;
}

DEV_FN void dev_scatter(void *data, uint64_t word, uint64_t bytes) {
    for (uint64_t i = 0; i < bytes && i < 8; ++i) ((uint8_t *)data)[i] = (uint8_t)(word >> (8 * i));
}

DEV_FN uint64_t dev_element_bits(int32_t dtype, const void *data, uint64_t index) {
    const uint64_t bytes = dev_dtype_bytes(dtype);
    return dev_gather((const uint8_t *)data + index * bytes, bytes);
}

// Adds a word to the two sums of a buffer. A change of one word always changes the first sum; swapping two
// words changes both.
DEV_FN void dev_hash_add(uint64_t position, uint64_t word, uint64_t sums[2]) {
    const uint64_t place = dev_mix(position + DEV_GOLDEN);
    sums[0] += dev_mix(word ^ place);
    sums[1] += dev_mix(word + (place >> 32 | place << 32) + DEV_GOLDEN);
}

// Adds the length, once per buffer, so that buffers that differ only in the number of zeros at their end
// have different sums.
DEV_FN void dev_hash_add_length(uint64_t bytes, uint64_t sums[2]) {
    dev_hash_add(DEV_NONE, bytes, sums);
}

// ---- comparing an element with float64 ----

DEV_FN void dev_compare_start(struct dev_compare_part *part) {
    memset(part, 0, sizeof *part);
    part->first_failed = part->first_unwritten = part->first_not_number = part->worst_index = DEV_NONE;
}

DEV_FN int dev_is_faint_infinity(double value) {
    return dev_bits(value) == DEV_FAINT_INFINITY_BITS;
}

// NaN where the reference is NaN, the same infinity where it is infinite (NaN too, where that is faint),
// within tolerance where it is a number.
DEV_FN int dev_element_passes(double out, double ref, double atol, double rtol) {
    if (ref != ref) return out != out || (dev_is_faint_infinity(ref) && out == INFINITY);
    if (!dev_is_finite(ref)) return out == ref;
    const double error = out > ref ? out - ref : ref - out;
    return error <= atol + rtol * (ref < 0 ? -ref : ref);
}

DEV_FN void dev_note_first(uint64_t *first, uint64_t index) {
    if (index < *first) *first = index;
}

DEV_FN void dev_compare_failed(const struct dev_compare *args, uint64_t index, double out, double ref,
                               struct dev_compare_part *part) {
    ++part->failed;
    dev_note_first(&part->first_failed, index);
    if (ref == ref && dev_element_bits(args->dtype, args->out, index) == args->poison) {
        ++part->unwritten;
        dev_note_first(&part->first_unwritten, index);
    } else if (!dev_is_finite(out) || !dev_is_finite(ref)) {
        ++part->not_number;
        dev_note_first(&part->first_not_number, index);
    }
}

DEV_FN void dev_compare_add(const struct dev_compare *args, uint64_t index, struct dev_compare_part *part) {
    const double ref = args->reference[index];
    if (dev_bits(ref) == DEV_SKIP_BITS) {
        ++part->skipped;
        return;
    }
    const double out = dev_load(args->dtype, args->out, (int64_t)index);
    ++part->compared;
    if (!dev_element_passes(out, ref, args->atol, args->rtol))
        dev_compare_failed(args, index, out, ref, part);
    if (!dev_is_finite(out) || !dev_is_finite(ref)) return;
    const double difference = out - ref, error = difference < 0 ? -difference : difference;
    const double size = ref < 0 ? -ref : ref;
    if (error > part->max_abs || part->worst_index == DEV_NONE) {
        part->max_abs = error;
        part->worst_index = index;
    }
    if (size > part->max_ref) part->max_ref = size;
    ++part->numbers;
    part->sum_abs += error;
    part->sum_sq += error * error;
    part->sum_ref_sq += ref * ref;
    part->sum_out += out;
    part->sum_ref += ref;
    part->sum_out_sq += out * out;
    part->sum_out_ref += out * ref;
}

// Of equally wrong elements the earlier one counts as the worst, so that the result does not depend on the
// order of merging.
DEV_FN int dev_is_worse(const struct dev_compare_part *a, const struct dev_compare_part *b) {
    if (a->worst_index == DEV_NONE || b->worst_index == DEV_NONE) return a->worst_index != DEV_NONE;
    return a->max_abs > b->max_abs || (a->max_abs == b->max_abs && a->worst_index < b->worst_index);
}

DEV_FN void dev_compare_merge(struct dev_compare_part *into, const struct dev_compare_part *from) {
    if (dev_is_worse(from, into)) {
        into->max_abs = from->max_abs;
        into->worst_index = from->worst_index;
    }
    if (from->max_ref > into->max_ref) into->max_ref = from->max_ref;
    dev_note_first(&into->first_failed, from->first_failed);
    dev_note_first(&into->first_unwritten, from->first_unwritten);
    dev_note_first(&into->first_not_number, from->first_not_number);
    into->compared += from->compared;
    into->skipped += from->skipped;
    into->failed += from->failed;
    into->unwritten += from->unwritten;
    into->not_number += from->not_number;
    into->numbers += from->numbers;
    into->sum_abs += from->sum_abs;
    into->sum_sq += from->sum_sq;
    into->sum_ref_sq += from->sum_ref_sq;
    into->sum_out += from->sum_out;
    into->sum_ref += from->sum_ref;
    into->sum_out_sq += from->sum_out_sq;
    into->sum_out_ref += from->sum_out_ref;
}

#endif
