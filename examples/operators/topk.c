// SPDX-License-Identifier: Apache-2.0
//
// The k largest numbers of each row and where they stand, the largest first. With BUG, the list begins with
// zeros: right while k numbers of the row are above 0.
#include <math.h>

#ifdef BUG
#define LEAST 0
#else
#define LEAST (-INFINITY)
#endif

// Puts a value into the sorted list, whose last one leaves it.
static void insert(float *values, int *indices, int k, float value, int index) {
    int place = k - 1;
    for (; place > 0 && values[place - 1] < value; --place) {
        values[place] = values[place - 1];
        indices[place] = indices[place - 1];
    }
    values[place] = value;
    indices[place] = index;
}

void topk(const float *x, float *values, int *indices, int rows, int columns, int k) {
    for (int row = 0; row < rows; ++row, x += columns, values += k, indices += k) {
        for (int i = 0; i < k; ++i) values[i] = LEAST, indices[i] = i;
        for (int i = 0; i < columns; ++i)
            if (x[i] > values[k - 1]) insert(values, indices, k, x[i], i);
    }
}
