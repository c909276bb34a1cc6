// SPDX-License-Identifier: Apache-2.0
//
// Doubles as ordered integers. The sign and magnitude of IEEE 754 become a plain signed integer.
#include "stats/float_order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int64_t float_order_key(double x) {
    int64_t bits = 0;

    memcpy(&bits, &x, sizeof bits);
    return bits < 0 ? INT64_MIN - bits : bits;
}

double float_order_value(int64_t key) {
    int64_t bits = key < 0 ? INT64_MIN - key : key;
    double x = 0.0;

    memcpy(&x, &bits, sizeof x);
    return x;
}

bool float_order_has_between(int64_t lo, int64_t hi) {
    return (uint64_t)hi - (uint64_t)lo > 1;
}

int64_t float_order_mid(int64_t lo, int64_t hi) {
    uint64_t width = (uint64_t)hi - (uint64_t)lo;

    return lo + (int64_t)(width / 2);
}

static int compare_doubles(const void *pa, const void *pb) {
    double a = *(const double *)pa;
    double b = *(const double *)pb;

    return (a > b) - (a < b);
}

void float_order_sort(double *x, size_t n) {
    if (n > 1) qsort(x, n, sizeof *x, compare_doubles);
}

bool float_order_is_finite(const double *x, size_t n) {
    for (size_t i = 0; i < n; ++i)
        if (!isfinite(x[i])) return false;
    return true;
}

bool float_order_is_sorted(const double *x, size_t n) {
    if (!float_order_is_finite(x, n)) return false;
    for (size_t i = 1; i < n; ++i)
        if (!(x[i - 1] <= x[i])) return false;
    return true;
}

bool float_order_is_sorted_positive(const double *x, size_t n) {
    return float_order_is_sorted(x, n) && (n == 0 || x[0] > 0.0);
}
