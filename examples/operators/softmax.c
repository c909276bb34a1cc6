// SPDX-License-Identifier: Apache-2.0
//
// Softmax of long rows. With BUG, a row's length is kept in 16 bits.
#include <math.h>
#include <stdint.h>

#define LANES 16

struct row {
    const float *x;
    float *y;
#ifdef BUG
    uint16_t count;
#else
    int count;
#endif
};

static float max_of(const struct row *row) {
    float max = -INFINITY;
    for (int i = 0; i < row->count; ++i) max = row->x[i] > max ? row->x[i] : max;
    return max;
}

// Leaves the exponentials in y. In lanes, which lose less than one sum of 200 000 numbers.
static float sum_of_exponentials(const struct row *row, float max) {
    float lanes[LANES] = {0}, sum = 0;
    for (int i = 0; i < row->count; ++i) lanes[i % LANES] += row->y[i] = expf(row->x[i] - max);
    for (int lane = 0; lane < LANES; ++lane) sum += lanes[lane];
    return sum;
}

void softmax(const float *x, float *y, int rows, int columns) {
    for (int r = 0; r < rows; ++r) {
        struct row row = {.x = x + (long)r * columns, .y = y + (long)r * columns};
        row.count = columns;
        const float sum = sum_of_exponentials(&row, max_of(&row));
        for (int i = 0; i < row.count; ++i) row.y[i] /= sum;
    }
}
