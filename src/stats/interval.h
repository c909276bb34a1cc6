// SPDX-License-Identifier: Apache-2.0
//
// An interval between two numbers, in any unit. Touching end points overlap: only a strict gap separates
// two intervals.
#ifndef STATS_INTERVAL_H
#define STATS_INTERVAL_H

#include <stdbool.h>

struct interval {
    double lo;
    double hi;
};

// True when one interval lies strictly above the other. A NaN end point never separates.
static inline bool interval_is_disjoint(struct interval a, struct interval b) {
    return a.lo > b.hi || b.lo > a.hi;
}

#endif
