// SPDX-License-Identifier: Apache-2.0
// What is an interval, and when do two of them lie apart?
// Touching end points overlap: only a strict gap separates. Units are those of whatever the interval is
// about.
#ifndef STATS_INTERVAL_H
#define STATS_INTERVAL_H

#include <stdbool.h>

struct interval {
    double lo;
    double hi;
};

// True when one interval lies strictly above the other. A NaN end point never separates.
bool interval_is_disjoint(struct interval a, struct interval b);

// True when lo <= x <= hi; never for NaN.
bool interval_has(struct interval a, double x);

#endif
