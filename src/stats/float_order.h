// SPDX-License-Identifier: Apache-2.0
//
// Finite doubles as ordered integers, so that a bisection ends on an exact value; sorting and input checks.
// Neighbouring doubles have neighbouring keys, -0 and +0 share one, and at most 64 halvings reach the
// smallest double that satisfies a monotone condition.
#ifndef STATS_FLOAT_ORDER_H
#define STATS_FLOAT_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Key of x: a < b as doubles exactly when the key of a < the key of b. x is not NaN.
int64_t float_order_key(double x);
double float_order_value(int64_t key);

// True when a key lies strictly between lo and hi, lo <= hi; safe where hi - lo is not.
bool float_order_has_between(int64_t lo, int64_t hi);

// Key half way between lo and hi, lo <= hi, rounded towards lo.
int64_t float_order_mid(int64_t lo, int64_t hi);

// Sorts x ascending; holds no NaN.
void float_order_sort(double *x, size_t n);

// True when all n values are finite (n = 0: true).
bool float_order_is_finite(const double *x, size_t n);

// True when all n values are finite and ascending, ties allowed.
bool float_order_is_sorted(const double *x, size_t n);

// True when x is finite, ascending and its smallest value is above zero: what a set of times must be.
bool float_order_is_sorted_positive(const double *x, size_t n);

#endif
