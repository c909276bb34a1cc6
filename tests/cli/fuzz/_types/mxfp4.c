// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <string.h>
#ifndef STEPS
#define STEPS 1 // doubles a scale
#endif

static uint16_t product(int code, uint8_t scale) { // exact in bf16
    static const float sizes[] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
    const float size = sizes[code & 7];
    uint32_t bits = (uint32_t)scale << 23;
    float factor;
    if (!scale) bits = 1u << 22;
    memcpy(&factor, &bits, sizeof factor);
    factor *= code & 8 ? -size : size;
    memcpy(&bits, &factor, sizeof bits);
    return (uint16_t)(bits >> 16);
}

void mxfp4(const uint8_t *codes, const uint8_t *scales, uint16_t *y, uint8_t *swapped, uint8_t *doubled,
           int bytes) {
    for (int i = 0; i < bytes; ++i) {
        const int low = codes[i] & 15, high = codes[i] >> 4;
        y[2 * i] = product(low, scales[i / 16]), y[2 * i + 1] = product(high, scales[i / 16]);
        swapped[i] = (uint8_t)(low << 4 | high);
#ifdef BUG_SWAPPED
        if (i == 20) swapped[i] ^= 8;
#endif
#ifdef BUG_SCALE
        if (i >= bytes / 16 * 16) continue; // the last scale, when its bytes are fewer
#endif
        doubled[i / 16] = (uint8_t)(scales[i / 16] + STEPS);
    }
}
