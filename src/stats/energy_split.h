// SPDX-License-Identifier: Apache-2.0
//
// The split of E-divisive: the place where the parts of a series before and after it differ most, by the
// energy distance (Szekely and Rizzo 2005) with exponent 1. As Matteson and James (JASA 109, 2014, 2.3)
// have it, the part behind the place may end before the series does, so that a change that is taken back is
// found.
#ifndef STATS_ENERGY_SPLIT_H
#define STATS_ENERGY_SPLIT_H

#include <stddef.h>

struct energy_split {
    size_t place;      // first value of the second part
    size_t until;      // one behind its last
    double divergence; // n m / (n + m) times the energy distance; the first of equal ones
};

// values: count of them, finite. Both parts have at least `least` values: 1 <= least, 2 least <= count.
// scratch: room for 2 count. O(count^2), allocates nothing.
struct energy_split energy_split_best(const double *values, size_t count, size_t least, double *scratch);

#endif
