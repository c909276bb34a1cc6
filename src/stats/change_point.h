// SPDX-License-Identifier: Apache-2.0
//
// Where a series of measurements in the order of commits changed its level, and by how much: E-divisive
// (Matteson and James, JASA 109, 2014) with a t test in place of its permutation test, weak change points
// first and a merge of those that do not hold (Fleming et al., Hunter, ICPE 2023). Nothing is drawn, so
// equal series have equal change points. docs/statistics.md says what is promised.
//
// In this order:
// 1. Single values that lie far from their neighbours are drawn in to 4 sd of the noise (change_point.c).
// 2. Windows, half overlapping, are split where the energy distance of the two parts is largest, again and
// again, while an uncorrected t test accepts (max_weak_p).
// 3. Of all places found, the weakest goes, and its neighbours are tested anew on what has become one
// segment, until every one that is left has p <= max_p and is as large as min_change.
//
// p is two-sided, multiplied by the number of places that could have been chosen, and its standard error
// holds the series' own lag-1 autocorrelation: in a series of independent normal values without a change,
// the probability of any change point is at most max_p at one look. A series grows by a value a commit and is
// looked at after each: max_p is a tenth of what is promised of a hundred looks.
#ifndef STATS_CHANGE_POINT_H
#define STATS_CHANGE_POINT_H

#include <stddef.h>

#include "stats/interval.h"

struct change_series {
    const double *values; // logarithms of times; NAN: a gap
    // Of the values, as measured; a segment's spread is not taken to be smaller. NULL or NAN: not known.
    const double *standard_errors;
    size_t count;
};

struct change_point_options {
    double max_p;       // 0.001: of a series without a change, at most this share shows one at a look
    double max_weak_p;  // 0.05: for a place to be looked at
    double min_change;  // 0.01: as a log ratio
    double level;       // 0.95: of the intervals
    size_t min_segment; // 3: values on each side of a change; fewer are a spike
    size_t window;      // 200: values looked at together; time is O(count window)
};
struct change_point_options change_point_options_default(void);

struct change_point {
    // Indices into the series as given: the last value before, the first one after; gaps lie between them.
    size_t before, after;
    double log_change; // positive: slower from `after` on
    struct interval interval;
    double p;
};

struct change_segment {
    size_t begin, end; // indices of its first value, and one behind its last
    size_t count;      // values, without gaps
    double mean, sd;   // sd: with count - 1
};

struct change_points {
    size_t count;
    struct change_point *points;
    struct change_segment *segments; // count + 1; none where the series has no value
    double lag1; // autocorrelation within the segments; NAN: fewer than 3 values, or all equal
};

// *ret is to be freed with change_points_free when 0 is returned. -EINVAL: an infinite value, a negative
// standard error, options out of range (window below 2 min_segment, min_segment below 2). -ENOMEM.
int change_points_find(const struct change_series *series, const struct change_point_options *options,
                       struct change_points *ret);
void change_points_free(struct change_points *points); // accepts a zeroed one

#endif
