// SPDX-License-Identifier: Apache-2.0
//
// A plot that is as wide as its place and keeps the size of its text: a picture whose paths are stretched
// (strokes are not) between labels that stand at per cents. To its left stand the labels of the y axis.
#ifndef REPORT_HTML_HTML_PLOT_INTERNAL_H
#define REPORT_HTML_HTML_PLOT_INTERNAL_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/strbuf.h"

#define HTML_PLOT_WIDTH 1000.0 // units of its paths
#define HTML_PLOT_MARGIN_MIN                                                                                 \
    1e-4 // of the highest value: an axis is never so short that its ticks are one number

struct html_plot {
    struct strbuf *out;
    struct arena *arena;
    double x_low, x_high, y_low, y_high;
    double height;      // pixels of the plot
    const char *metric; // what was measured: times, or counts (record/metric.h); NULL: times
    bool has_x_axis;    // labels below it: of the metric, from x_low to x_high; counts without their unit
    bool has_y_metric;  // labels of the y axis are of the metric, else numbers
    double unit_size;   // of one unit: 1e6
    const char *name;   // of the y axis, above it; NULL: no y axis
};

double html_plot_x(const struct html_plot *plot, double value); // 0 to HTML_PLOT_WIDTH
double html_plot_y(const struct html_plot *plot, double value); // pixels from the top, held to the plot
// Everything up to the picture's paths; the caller adds those, then ends it.
void html_plot_begin(const struct html_plot *plot);
void html_plot_end(const struct html_plot *plot);

#endif
