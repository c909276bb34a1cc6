// SPDX-License-Identifier: Apache-2.0
//
// The range of times that a plot shows, cut into bins of a round width. A few samples far out do not stretch
// it: they are folded into "below" and "above".
#ifndef CONTROL_REPORT_SAMPLES_SAMPLE_AXIS_H
#define CONTROL_REPORT_SAMPLES_SAMPLE_AXIS_H

#include <stddef.h>

#define SAMPLE_AXIS_BINS_MAX 32

struct sample_axis {
    double low_ns, high_ns; // what is shown; equal when there is one value only
    double first_ns;        // lower edge of bin 0; bin i begins at first_ns + i step_ns
    double step_ns;         // > 0 but for a single bin
    double label_ns;        // a bin is called by its edge plus this: half a tick of a coarse clock, else 0
    size_t bin_count;       // 1 to SAMPLE_AXIS_BINS_MAX
};

// sorted_ns: n ascending times, n >= 1.
struct sample_axis sample_axis_make(const double *sorted_ns, size_t n);

// The bin of a time; the first or the last for times outside. Ask sample_axis_side() first where that
// matters.
size_t sample_axis_bin(const struct sample_axis *axis, double ns);
// -1: below the axis, 1: above, 0: shown.
int sample_axis_side(const struct sample_axis *axis, double ns);

#endif
