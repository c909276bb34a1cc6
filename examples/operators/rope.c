// SPDX-License-Identifier: Apache-2.0
//
// Rotary position embedding of bf16 heads, in place: the first `rotary` numbers of a head turn, the others
// stay. A row of the table has the cosines of a position, then its sines. With BUG, the partner of a number
// is half a head away, not half of what turns: the same where the whole head turns.
#include "bf16.h"

static void turn(uint16_t *head, const float *cosines, const float *sines, int half, int distance) {
    for (int i = 0; i < half; ++i) {
        const float a = from_bf16(head[i]), b = from_bf16(head[i + distance]);
        head[i] = to_bf16(a * cosines[i] - b * sines[i]);
        head[i + distance] = to_bf16(b * cosines[i] + a * sines[i]);
    }
}

void rope(const int *positions, const float *table, uint16_t *x, int tokens, int heads, int dim, int rotary) {
    const int half = rotary / 2;
#ifdef BUG
    const int distance = dim / 2;
#else
    const int distance = half;
#endif
    for (int token = 0; token < tokens; ++token) {
        const float *row = table + (long)positions[token] * rotary;
        for (int head = 0; head < heads; ++head, x += dim) turn(x, row, row + half, half, distance);
    }
}
