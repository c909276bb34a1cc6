// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>

void rope_reference(const int32_t *positions, const double *table, double *x, int64_t tokens, int64_t heads,
                    int64_t dim, int64_t rotary) {
    for (int64_t head = 0; head < tokens * heads; ++head, x += dim)
        for (int64_t i = 0, half = rotary / 2; i < half; ++i) {
            const double *row = table + positions[head / heads] * rotary, a = x[i], b = x[i + half];
            x[i] = a * row[i] - b * row[i + half];
            x[i + half] = b * row[i] + a * row[i + half];
        }
}
