// SPDX-License-Identifier: Apache-2.0
//
// What both plots share: the ranges of their axes, the roofs that they draw, ticks.
#ifndef REPORT_ROOFLINE_ROOFLINE_AXES_INTERNAL_H
#define REPORT_ROOFLINE_ROOFLINE_AXES_INTERNAL_H

#include "profile/roofline.h"

struct roofline_axis {
    double low, high;       // both 1, 2 or 5 times a power of ten; low 0: nothing to draw
    bool is_counting_fives; // ticks at 1, 2 and 5 times a power of ten, else at its powers only
};

struct roofline_axes {
    struct roofline_axis x, y; // FLOP/byte; the unit
    double unit_gflop_per_s;   // 1 or 1000
    const char *unit;          // "GFLOP/s" or "TFLOP/s"
};

struct roofline_axes roofline_axes_make(const struct roofline *roofline);
// Where a value lies between low (0) and high (1).
double roofline_axis_place(const struct roofline_axis *axis, double value);
// The first tick at or above a value.
double roofline_axis_tick(const struct roofline_axis *axis, double value);

// A roof is drawn if a point is held against it; without points all are.
bool roofline_draws_roof(const struct roofline *roofline, const struct roof *roof);
// The highest rate that is drawn, where bandwidths end; INFINITY: none is.
double roofline_highest_rate(const struct roofline *roofline);
// Where the roof meets the bandwidth of a level; NAN: no ridge point, since it is a bandwidth or none is
// drawn.
double roofline_ridge(const struct roofline *roofline, const struct roof *roof, enum memory_level level);
// The lowest intensity from which a rate is drawn: its leftmost ridge point; 0: no bandwidth is drawn.
double roofline_rate_begin(const struct roofline *roofline, const struct roof *rate);
bool roofline_draws_point(const struct roofline_point *point, enum memory_level level);

#endif
