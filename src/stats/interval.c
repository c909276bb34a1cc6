// SPDX-License-Identifier: Apache-2.0
// What is an interval, and when do two of them lie apart?
// The comparisons are written so that NaN answers no.
#include "stats/interval.h"

bool interval_is_disjoint(struct interval a, struct interval b) {
    return a.lo > b.hi || b.lo > a.hi;
}

bool interval_has(struct interval a, double x) {
    return a.lo <= x && x <= a.hi;
}
