// SPDX-License-Identifier: Apache-2.0
//
// bf16 to fp8 e4m3, with a scale for every 128 numbers of a row: value = code * scale, and the largest of a
// group becomes 448. With BUG, the last group of a row has 128 numbers too, and so runs into the next row.
#include <math.h>

#include "bf16.h"

#define GROUP   128
#define LARGEST 448.0f

// The nearest, of two the even one; `value` is at most 448.
static uint8_t to_e4m3(float value) {
    const float size = fminf(fabsf(value), LARGEST);
    const uint8_t sign = signbit(value) ? 0x80 : 0;
    uint32_t bits;
    if (size < 0x1p-6f) return sign | (uint8_t)lrintf(size * 512); // subnormal: multiples of 1/512
    memcpy(&bits, &size, sizeof bits);
    bits += 0x7ffff + (bits >> 20 & 1);
    return sign | (uint8_t)((bits >> 20) - ((127 - 7) << 3));
}

static void quantize_group(const uint16_t *x, int count, uint8_t *codes, float *scale) {
    float largest = 0;
    for (int i = 0; i < count; ++i) largest = fmaxf(largest, fabsf(from_bf16(x[i])));
    *scale = largest > 0 ? largest / LARGEST : 1;
    for (int i = 0; i < count; ++i) codes[i] = to_e4m3(from_bf16(x[i]) / *scale);
}

void quantize(const uint16_t *x, uint8_t *codes, float *scales, int rows, int columns) {
    for (int row = 0; row < rows; ++row, x += columns, codes += columns)
        for (int first = 0; first < columns; first += GROUP) {
#ifdef BUG
            const int count = GROUP;
#else
            const int count = columns - first < GROUP ? columns - first : GROUP;
#endif
            quantize_group(x + first, count, codes + first, scales++);
        }
}
