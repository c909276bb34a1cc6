// SPDX-License-Identifier: Apache-2.0
//
// Sorting and input checks.
#include "stats/float_order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Values that are merged here, several times faster than by qsort(), which calls a function to compare two.
#define FEW 512
// Of these, so many at a time are sorted by insertion before.
#define BLOCK 8

static int compare_doubles(const void *pa, const void *pb) {
    double a = *(const double *)pa;
    double b = *(const double *)pb;

    return (a > b) - (a < b);
}

// Ascending [from, middle) and [middle, end) become one in `into`. No branch depends on a comparison: half of
// them would be predicted wrongly.
static void merge(const double *from, double *into, size_t middle, size_t end) {
    size_t left = 0;
    size_t right = middle;
    size_t at = 0;

    while (left < middle && right < end) {
        bool is_right = from[right] < from[left];

        into[at++] = is_right ? from[right] : from[left];
        right += is_right;
        left += !is_right;
    }
    memcpy(into + at, from + left, (middle - left) * sizeof *into);
    memcpy(into + at + middle - left, from + right, (end - right) * sizeof *into);
}

static void insertion_sort(double *x, size_t n) {
    for (size_t i = 1; i < n; ++i) {
        double moved = x[i];
        size_t at = i;

        for (; at > 0 && moved < x[at - 1]; --at) x[at] = x[at - 1];
        x[at] = moved;
    }
}

// spare: room for n.
static void merge_sort(double *x, double *spare, size_t n) {
    double *from = x;
    double *into = spare;

    for (size_t at = 0; at < n; at += BLOCK) insertion_sort(x + at, n - at < BLOCK ? n - at : BLOCK);
    for (size_t width = BLOCK; width < n; width *= 2) {
        for (size_t at = 0; at < n; at += 2 * width) {
            size_t end = n - at < 2 * width ? n - at : 2 * width;

            merge(from + at, into + at, width < end ? width : end, end);
        }
        double *merged = into;
        into = from;
        from = merged;
    }
    if (from != x) memcpy(x, from, n * sizeof *x);
}

void float_order_sort(double *x, size_t n) {
    double spare[FEW];

    if (n <= FEW)
        merge_sort(x, spare, n);
    else
        qsort(x, n, sizeof *x, compare_doubles);
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
