// SPDX-License-Identifier: Apache-2.0
//
// exp(x) for x <= 0 by a table of exp(-n): as exact as exp() itself, for kernels whose style is where a
// table comes from.
#ifndef HONEST_EXP_TABLE_H
#define HONEST_EXP_TABLE_H

#include <math.h>

#define EXP_TABLE_COUNT 701

static inline void exp_table_fill(double *table) {
    for (int n = 0; n < EXP_TABLE_COUNT; ++n) table[n] = exp(-n);
}

static inline double exp_table_get(const double *table, double x) {
    if (!(x > -(EXP_TABLE_COUNT - 1) && x <= 0)) return exp(x); // far below, or not a number
    const int n = (int)-x;
    return table[n] * exp(x + n);
}

#endif
