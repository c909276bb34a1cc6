// SPDX-License-Identifier: Apache-2.0
//
// Finite doubles as ordered integers (sign and magnitude of IEEE 754 become a plain signed integer), so that
// a bisection ends on an exact value; sorting and input checks. Neighbouring doubles have neighbouring keys,
// -0 and +0 share one, and at most 64 halvings reach the smallest double that satisfies a monotone condition.
#ifndef STATS_FLOAT_ORDER_H
#define STATS_FLOAT_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Key of x, and back: a < b as doubles exactly when the key of a < the key of b. x is not NaN.
static inline int64_t float_order_key(double x) {
    int64_t bits = 0;

    memcpy(&bits, &x, sizeof bits);
    return bits < 0 ? INT64_MIN - bits : bits;
}

static inline double float_order_value(int64_t key) {
    int64_t bits = key < 0 ? INT64_MIN - key : key;
    double x = 0.0;

    memcpy(&x, &bits, sizeof x);
    return x;
}

// True when a key lies strictly between lo and hi, lo <= hi; safe where hi - lo is not.
static inline bool float_order_has_between(int64_t lo, int64_t hi) {
    return (uint64_t)hi - (uint64_t)lo > 1;
}

// Key half way between lo and hi, lo <= hi, rounded towards lo.
static inline int64_t float_order_mid(int64_t lo, int64_t hi) {
    return lo + (int64_t)(((uint64_t)hi - (uint64_t)lo) / 2);
}

// Sorts x ascending; holds no NaN.
void float_order_sort(double *x, size_t n);

// True when all n values are finite (n = 0: true).
bool float_order_is_finite(const double *x, size_t n);

// True when all n values are finite and ascending, ties allowed.
bool float_order_is_sorted(const double *x, size_t n);

// True when x is finite, ascending and its smallest value is above zero: what a set of times must be.
bool float_order_is_sorted_positive(const double *x, size_t n);

#endif
