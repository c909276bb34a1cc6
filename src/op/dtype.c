// SPDX-License-Identifier: Apache-2.0
//
// Element types: names, sizes, and exact conversion to and from double. Every narrow type is described by
// three numbers (fraction bits, smallest normal exponent, largest code), and one pair of branch-free
// functions does the arithmetic for all of them. Formats: IEEE 754-2019 (fp16, fp32, fp64), bfloat16, OCP
// FP8 1.0 (e4m3 "fn": no infinities, one NaN code a sign; e5m2), OCP MX 1.0 (e8m0).
#include "op/dtype.h"

#include <math.h>
#include <string.h>

#include "base/err.h"
#include "op/clones.h"

// A binary format narrower than double. Codes count up with the magnitude: subnormals, normals, infinity,
// NaN.
struct format {
    int fraction_bits;
    int exponent_min;       // of the smallest normal number
    uint64_t overflow_code; // for values too large: infinity, or the largest number in a format without one
    uint64_t nan_code;
};

#define FORMAT_FP16 ((struct format){10, -14, 0x7c00, 0x7e00})
#define FORMAT_BF16 ((struct format){7, -126, 0x7f80, 0x7fc0})
#define FORMAT_E4M3 ((struct format){3, -6, 0x7e, 0x7f})
#define FORMAT_E5M2 ((struct format){2, -14, 0x7c, 0x7e})

#define SIGN_BIT      (UINT64_C(1) << 63)
#define INFINITY_BITS (UINT64_C(0x7ff) << 52)

static inline uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double double_of(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// The code of |value|, rounded to nearest, ties to even. Branch-free so that loops over it vectorise.
static inline uint64_t format_narrow(struct format f, double value) {
    const uint64_t magnitude = bits_of(value) & ~SIGN_BIT;
    const int shift = 52 - f.fraction_bits;
    // Normal: add just under half a unit (a whole half when the kept part is odd), cut, move the exponent's
    // bias.
    const uint64_t half = (UINT64_C(1) << (shift - 1)) - 1 + ((magnitude >> shift) & 1);
    const uint64_t bias = (uint64_t)(1022 + f.exponent_min) << f.fraction_bits;
    const uint64_t normal = ((magnitude + half) >> shift) - bias;
    // Subnormal: adding a power of two whose unit is the format's smallest step makes the hardware round.
    const uint64_t step = (uint64_t)(1023 + f.exponent_min - f.fraction_bits + 52) << 52;
    const uint64_t subnormal = bits_of(double_of(magnitude) + double_of(step)) - step;
    const uint64_t normal_min = (uint64_t)(1023 + f.exponent_min) << 52;
    uint64_t code = magnitude < normal_min ? subnormal : normal;
    code = code > f.overflow_code ? f.overflow_code : code;
    return magnitude > INFINITY_BITS ? f.nan_code : code;
}

// The value of a code without its sign. infinity_code: codes from there on are infinity and NaN.
static inline double format_widen(struct format f, uint64_t code, uint64_t infinity_code) {
    const int shift = 52 - f.fraction_bits;
    const uint64_t normal = (code << shift) + ((uint64_t)(1022 + f.exponent_min) << 52);
    const uint64_t step = (uint64_t)(1023 + f.exponent_min - f.fraction_bits + 52) << 52;
    const uint64_t subnormal = bits_of(double_of(step | code) - double_of(step));
    const uint64_t smallest_normal = UINT64_C(1) << f.fraction_bits;
    uint64_t bits = code < smallest_normal ? subnormal : normal;
    bits = code >= infinity_code ? INFINITY_BITS | (code - infinity_code) << shift : bits;
    return double_of(bits);
}

static inline uint16_t store_16(struct format f, double value) {
    return (uint16_t)(format_narrow(f, value) | (bits_of(value) >> 48 & 0x8000));
}

static inline double load_16(struct format f, uint16_t code) {
    const double value = format_widen(f, code & 0x7fffU, f.overflow_code);
    return double_of(bits_of(value) | (uint64_t)(code & 0x8000U) << 48);
}

static inline uint8_t store_e4m3(double value) {
    return (uint8_t)(format_narrow(FORMAT_E4M3, value) | (bits_of(value) >> 56 & 0x80));
}

static inline double load_e4m3(uint8_t code) {
    const uint64_t magnitude = code & 0x7fU;
    const double value = format_widen(FORMAT_E4M3, magnitude, 0x80);
    const uint64_t bits = magnitude == 0x7f ? bits_of((double)NAN) : bits_of(value);
    return double_of((bits & ~SIGN_BIT) | (uint64_t)(code & 0x80U) << 56);
}

static inline uint8_t store_e5m2(double value) {
    return (uint8_t)(format_narrow(FORMAT_E5M2, value) | (bits_of(value) >> 56 & 0x80));
}

static inline double load_e5m2(uint8_t code) {
    const double value = format_widen(FORMAT_E5M2, code & 0x7fU, FORMAT_E5M2.overflow_code);
    return double_of(bits_of(value) | (uint64_t)(code & 0x80U) << 56);
}

// A code is an exponent. Half a unit of the fraction carries into it; NaN and infinity are above all others.
#define E8M0_BIAS (1023 - 127)
static inline uint8_t store_e8m0(double value) {
    const int64_t code = (int64_t)(((bits_of(value) & ~SIGN_BIT) + (UINT64_C(1) << 51)) >> 52) - E8M0_BIAS;
    return (uint8_t)(code < 0 ? 0 : code > 0xff ? 0xff : code);
}

static inline double load_e8m0(uint8_t code) {
    return code == 0xff ? (double)NAN : double_of((uint64_t)(code + E8M0_BIAS) << 52);
}

// ---- names and sizes ----

enum dtype_class { FLOAT, INTEGER };
#define DTYPE_ROW(id, number, name, bits, class, fraction_bits, exponent_min, exponent_max)                  \
    [ASSAY_##id] = {name, (bits) / 8, class, fraction_bits, exponent_min, exponent_max},
static const struct {
    const char *name;
    size_t bytes;
    enum dtype_class class;
    int fraction_bits;
    int exponent_min, exponent_max; // of normal numbers
} dtypes[] = {ASSAY_DTYPES(DTYPE_ROW)};
#define DTYPE_COUNT ((int32_t)(sizeof dtypes / sizeof dtypes[0]))

const char *dtype_name(int32_t dtype) {
    return dtype > ASSAY_DTYPE_INVALID && dtype < DTYPE_COUNT ? dtypes[dtype].name : NULL;
}

int32_t dtype_parse(const char *name) {
    for (int32_t i = ASSAY_DTYPE_INVALID + 1; name && i < DTYPE_COUNT; ++i)
        if (strcmp(name, dtypes[i].name) == 0) return i;
    return ASSAY_DTYPE_INVALID;
}

size_t dtype_bytes(int32_t dtype) {
    return dtype > ASSAY_DTYPE_INVALID && dtype < DTYPE_COUNT ? dtypes[dtype].bytes : 0;
}

// ---- conversion ----

// The integer nearest to value within [min, max], which are exact or, for 2^63 - 1, one below a double; NaN
// becomes 0.
static int64_t store_integer(double value, int64_t min, int64_t max) {
    const double rounded = nearbyint(value);
    if (!(rounded > (double)min)) return value != value ? 0 : min;
    return rounded >= (double)max ? max : (int64_t)rounded;
}

// One loop a type; elements are read and written through memcpy because buffers are raw memory. x: the
// element, value: its value.
#define LOAD_ROW(name, type, expression)                                                                     \
    HOT_CLONES static void load_##name##_row(const void *elements, size_t count, double *ret_values) {       \
        for (size_t i = 0; i < count; ++i) {                                                                 \
            type x;                                                                                          \
            memcpy(&x, (const char *)elements + i * sizeof x, sizeof x);                                     \
            ret_values[i] = (expression);                                                                    \
        }                                                                                                    \
    }

#define STORE_ROW(name, type, expression)                                                                    \
    HOT_CLONES static void store_##name##_row(void *elements, size_t count, const double *values) {          \
        for (size_t i = 0; i < count; ++i) {                                                                 \
            const double value = values[i];                                                                  \
            const type x = (expression);                                                                     \
            memcpy((char *)elements + i * sizeof x, &x, sizeof x);                                           \
        }                                                                                                    \
    }

LOAD_ROW(FP16, uint16_t, load_16(FORMAT_FP16, x))
LOAD_ROW(BF16, uint16_t, load_16(FORMAT_BF16, x))
LOAD_ROW(FP8_E4M3, uint8_t, load_e4m3(x))
LOAD_ROW(FP32, float, (double)x)
LOAD_ROW(FP64, double, x)
LOAD_ROW(INT32, int32_t, (double)x)
LOAD_ROW(FP8_E5M2, uint8_t, load_e5m2(x))
LOAD_ROW(INT8, int8_t, (double)x)
LOAD_ROW(INT64, int64_t, (double)x)
LOAD_ROW(UINT8, uint8_t, (double)x)
LOAD_ROW(INT16, int16_t, (double)x)
LOAD_ROW(BOOL, uint8_t, (double)x)
LOAD_ROW(FP4_E2M1X2, uint8_t, (double)x)
LOAD_ROW(E8M0, uint8_t, load_e8m0(x))

STORE_ROW(FP16, uint16_t, store_16(FORMAT_FP16, value))
STORE_ROW(BF16, uint16_t, store_16(FORMAT_BF16, value))
STORE_ROW(FP8_E4M3, uint8_t, store_e4m3(value))
STORE_ROW(FP32, float, (float)value)
STORE_ROW(FP64, double, value)
STORE_ROW(INT32, int32_t, (int32_t)store_integer(value, INT32_MIN, INT32_MAX))
STORE_ROW(FP8_E5M2, uint8_t, store_e5m2(value))
STORE_ROW(INT8, int8_t, (int8_t)store_integer(value, INT8_MIN, INT8_MAX))
STORE_ROW(INT64, int64_t, store_integer(value, INT64_MIN, INT64_MAX))
STORE_ROW(UINT8, uint8_t, (uint8_t)store_integer(value, 0, UINT8_MAX))
STORE_ROW(INT16, int16_t, (int16_t)store_integer(value, INT16_MIN, INT16_MAX))
STORE_ROW(BOOL, uint8_t, value != 0)
STORE_ROW(FP4_E2M1X2, uint8_t, (uint8_t)store_integer(value, 0, UINT8_MAX))
STORE_ROW(E8M0, uint8_t, store_e8m0(value))

#define LOAD_CASE(id, ...)                                                                                   \
    case ASSAY_##id:                                                                                         \
        load_##id##_row(elements, count, ret_values);                                                        \
        return;
#define STORE_CASE(id, ...)                                                                                  \
    case ASSAY_##id: store_##id##_row(elements, count, values); return;

void dtype_load_row(int32_t dtype, const void *elements, size_t count, double *ret_values) {
    switch (dtype) {
        ASSAY_DTYPES(LOAD_CASE)
    default: BUG("dtype %d has no conversion", (int)dtype);
    }
}

void dtype_store_row(int32_t dtype, void *elements, size_t count, const double *values) {
    switch (dtype) {
        ASSAY_DTYPES(STORE_CASE)
    default: BUG("dtype %d has no conversion", (int)dtype);
    }
}

double dtype_load(int32_t dtype, const void *element) {
    double value;
    dtype_load_row(dtype, element, 1, &value);
    return value;
}

void dtype_store(int32_t dtype, void *element, double value) {
    dtype_store_row(dtype, element, 1, &value);
}

bool dtype_is_integer(int32_t dtype) {
    return dtype_name(dtype) && dtypes[dtype].class == INTEGER;
}

bool dtype_is_exact(int32_t dtype) {
    return dtype_is_integer(dtype) || dtype == ASSAY_E8M0;
}

double dtype_ulp(int32_t dtype, double value) {
    if (!isfinite(value)) return (double)NAN;
    if (dtype_is_integer(dtype)) return 1.0;
    if (!dtype_name(dtype)) BUG("dtype %d has no unit in the last place", (int)dtype);
    int exponent = value == 0.0 ? dtypes[dtype].exponent_min : ilogb(value);
    if (exponent < dtypes[dtype].exponent_min) exponent = dtypes[dtype].exponent_min;
    if (exponent > dtypes[dtype].exponent_max) exponent = dtypes[dtype].exponent_max;
    return ldexp(1.0, exponent - dtypes[dtype].fraction_bits);
}
