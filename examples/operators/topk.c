// SPDX-License-Identifier: Apache-2.0
//
// The k largest numbers of each row, the largest first. With BUG, the list begins with zeros: right while k
// numbers of the row are above 0.
#include <math.h>

#ifdef BUG
#define LEAST 0
#else
#define LEAST (-INFINITY)
#endif

// Puts a value into the sorted list, whose last one leaves it.
static void insert(float *list, int k, float value) {
    int place = k - 1;
    for (; place > 0 && list[place - 1] < value; --place) list[place] = list[place - 1];
    list[place] = value;
}

void topk(const float *x, float *values, int rows, int columns, int k) {
    for (int row = 0; row < rows; ++row, x += columns, values += k) {
        for (int i = 0; i < k; ++i) values[i] = LEAST;
        for (int i = 0; i < columns; ++i)
            if (x[i] > values[k - 1]) insert(values, k, x[i]);
    }
}
