// SPDX-License-Identifier: Apache-2.0
#include <stdbool.h>
#include <stdint.h>
#ifndef TRUE
#define TRUE 1
#endif

void select_numbers(const bool *is_small, const uint8_t *small, int16_t *x, uint8_t *low,
                    uint8_t *is_negative, int n) {
    for (int i = 0; i < n; ++i) {
        if (is_small[i]) x[i] = small[i];
        is_negative[i] = x[i] < 0 ? TRUE : 0;
#ifdef BUG_LOW
        low[i] = (uint8_t)(x[i] > 255 ? 255 : x[i]);
#else
        low[i] = (uint8_t)x[i];
#endif
    }
}
