// SPDX-License-Identifier: Apache-2.0
//
// The distributions of a problem's sides on one axis of time, or of counts: a density each, and below it the
// samples as points with the median and its confidence interval. Far samples do not stretch the axis: their
// number is said.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/html_text.h"
#include "record/metric.h"
#include "report/html/html_plot_internal.h"
#include "report/html/html_view_internal.h"
#include "report/result/figure_text.h"
#include "stats/density.h"
#include "stats/describe.h"
#include "stats/float_order.h"

#define CURVE_HEIGHT 96.0
#define LANE_HEIGHT  26.0
#define CURVE_POINTS 72
#define CURVE_ENDS   3.0   // in bandwidths beyond the outermost samples
#define WIDTH_FINEST 250.0 // a bandwidth is not finer than this part of the axis
#define TAIL         0.01  // of the samples at either end may lie outside the axis
#define ROWS         5     // heights of the points of a lane, so that equal ones do not hide each other

struct side_times {
    double *sorted_ns; // owned
    size_t n;
};

struct distribution {
    const struct html_view *view;
    const struct result_case *item;
    struct side_times sides[WORK_SIDES_MAX];
    struct html_plot plot;
    size_t lane_count, outside_count;
    size_t shown_count, sample_count; // thinned where fewer are shown
};

static void read_times(struct distribution *d) {
    for (uint32_t side = 0; side < d->view->result->side_count; ++side) {
        struct side_times *times = &d->sides[side];
        if (!d->item->summaries[side].is_set) continue;
        times->n = result_case_times(d->item, side, &times->sorted_ns);
        float_order_sort(times->sorted_ns, times->n);
        d->lane_count += times->n > 0;
    }
}

// The range of all sides without their far samples, and what lies outside of it.
static void set_range(struct distribution *d) {
    double low = INFINITY, high = -INFINITY;
    for (size_t side = 0; side < d->view->result->side_count; ++side) {
        const struct side_times *times = &d->sides[side];
        if (!times->n) continue;
        const double first = describe_percentile(times->sorted_ns, times->n, TAIL);
        const double last = describe_percentile(times->sorted_ns, times->n, 1 - TAIL);
        low = fmin(low, fmax(first - 0.5 * (last - first), times->sorted_ns[0]));
        high = fmax(high, fmin(last + 0.5 * (last - first), times->sorted_ns[times->n - 1]));
    }
    const double margin = fmax(0.06 * (high - low), HTML_PLOT_MARGIN_MIN * high);
    d->plot.x_low = low - margin;
    d->plot.x_high = high + margin;
    for (size_t side = 0; side < d->view->result->side_count; ++side)
        for (size_t i = 0; i < d->sides[side].n; ++i)
            d->outside_count +=
                d->sides[side].sorted_ns[i] < d->plot.x_low || d->sides[side].sorted_ns[i] > d->plot.x_high;
}

struct curve {
    bool is_set;
    double range[2], density[CURVE_POINTS];
};

// The density of a side over the part of the axis where it has samples; wide enough that equal ones show.
static struct curve curve_of(const struct distribution *d, size_t side) {
    const struct side_times *times = &d->sides[side];
    const double axis = d->plot.x_high - d->plot.x_low;
    struct curve curve = {0};
    if (!times->n) return curve;
    const double width = fmax(density_bandwidth(times->sorted_ns, times->n), axis / WIDTH_FINEST);
    curve.range[0] = fmax(d->plot.x_low, times->sorted_ns[0] - CURVE_ENDS * width);
    curve.range[1] = fmin(d->plot.x_high, times->sorted_ns[times->n - 1] + CURVE_ENDS * width);
    curve.is_set =
        density_estimate(times->sorted_ns, times->n, width, curve.range, curve.density, CURVE_POINTS) == 0;
    return curve;
}

// Filling closes it along its foot; no line is drawn there.
static void add_curve(const struct distribution *d, size_t side, const struct curve *curve, double highest) {
    struct strbuf *out = d->view->out;
    const double step = (curve->range[1] - curve->range[0]) / (CURVE_POINTS - 1);
    strbuf_addf(out, "<path class=\"curve s%zu\" d=\"M", side);
    for (size_t i = 0; i < CURVE_POINTS; ++i)
        strbuf_addf(out, "%.1f %.1f ", html_plot_x(&d->plot, curve->range[0] + step * (double)i),
                    CURVE_HEIGHT - (CURVE_HEIGHT - 6) * curve->density[i] / highest);
    strbuf_add(out, "\"/>");
}

// Densities have one area, so that their heights can be compared.
static void add_curves(const struct distribution *d) {
    const size_t side_count = d->view->result->side_count;
    struct curve curves[WORK_SIDES_MAX];
    double highest = 0;
    for (size_t side = 0; side < side_count; ++side) {
        curves[side] = curve_of(d, side);
        for (size_t i = 0; i < CURVE_POINTS; ++i) highest = fmax(highest, curves[side].density[i]);
    }
    for (size_t side = 0; side < side_count; ++side)
        if (curves[side].is_set) add_curve(d, side, &curves[side], highest);
}

// Evenly chosen order statistics stand for all where there are many.
static void add_points(struct distribution *d, size_t side, double top) {
    const struct side_times *times = &d->sides[side];
    const size_t shown = times->n < d->view->points_max ? times->n : d->view->points_max;
    struct strbuf *out = d->view->out;
    d->shown_count += shown;
    d->sample_count += times->n;
    strbuf_addf(out, "<path class=\"points s%zu\" d=\"", side);
    for (size_t i = 0; i < shown; ++i) {
        const double ns = times->sorted_ns[shown > 1 ? i * (times->n - 1) / (shown - 1) : 0];
        const double row = (double)(i * 3 % ROWS) / (ROWS - 1);
        if (ns < d->plot.x_low || ns > d->plot.x_high) continue;
        strbuf_addf(out, "M%.0f %.1fh0", html_plot_x(&d->plot, ns), top + 5 + row * (LANE_HEIGHT - 10));
    }
    strbuf_add(out, "\"/>");
}

static void add_median(const struct distribution *d, size_t side, double top) {
    const struct case_summary *figures = &d->item->summaries[side];
    const double x = html_plot_x(&d->plot, figures->median_ns);
    const double low = html_plot_x(&d->plot, figures->median_low_ns);
    const double high = html_plot_x(&d->plot, figures->median_high_ns);
    struct strbuf *out = d->view->out;
    if (isfinite(low) && isfinite(high))
        strbuf_addf(out, "<path class=\"band s%zu\" d=\"M%.1f %.1fH%.1fv%.1fH%.1fz\"/>", side, low, top + 1,
                    high, LANE_HEIGHT - 2, low);
    strbuf_addf(out, "<path class=\"median s%zu\" d=\"M%.1f %.1fv%.1f\"/>", side, x, top + 1,
                LANE_HEIGHT - 2);
}

static void add_label(const struct distribution *d) {
    struct strbuf *out = d->view->out;
    strbuf_add(out, "<div role=\"img\" aria-label=\"");
    strbuf_addf(out, "Distribution of the %ss of ", html_measured(d->view));
    html_add_text(out, result_case_name(d->item));
    for (size_t side = 0; side < d->view->result->side_count; ++side) {
        const struct case_summary *figures = &d->item->summaries[side];
        if (!d->sides[side].n) continue;
        strbuf_add(out, "; ");
        html_add_text(out, result_side_name(d->view->result, side, d->view->arena));
        strbuf_addf(out, ": %zu samples, median %s", d->sides[side].n,
                    figure_amount(d->plot.metric, figures->median_ns, d->view->arena));
    }
    strbuf_add(out, "\">\n");
}

static void add_caption(const struct distribution *d) {
    struct strbuf *out = d->view->out;
    strbuf_add(out, "</div>\n<figcaption>Distribution: densities, and below them the samples that count; the "
                    "stroke is the median, its band the 95 % confidence interval.");
    if (metric_is_counted(metric_parse(d->plot.metric)))
        strbuf_addf(out, " The axis is of the metric %s.", d->plot.metric);
    if (d->outside_count)
        strbuf_addf(out, " %zu far %s outside of the axis.", d->outside_count,
                    d->outside_count == 1 ? "sample lies" : "samples lie");
    if (d->shown_count < d->sample_count)
        strbuf_addf(out, " Drawn are %zu of %zu samples, evenly chosen on each side, at most %zu.",
                    d->shown_count, d->sample_count, d->view->points_max);
    strbuf_add(out, "</figcaption></figure>\n");
}

void html_distribution_add(const struct html_view *view, const struct result_case *item) {
    struct distribution d = {.view = view, .item = item};
    read_times(&d);
    if (d.lane_count) {
        double top = CURVE_HEIGHT + 4;
        d.plot = (struct html_plot){.out = view->out,
                                    .arena = view->arena,
                                    .height = top + LANE_HEIGHT * (double)d.lane_count,
                                    .metric = view->result->environment.metric,
                                    .has_x_axis = true};
        set_range(&d);
        strbuf_add(view->out, "<figure class=\"distribution\">");
        add_label(&d);
        html_plot_begin(&d.plot);
        add_curves(&d);
        for (size_t side = 0; side < view->result->side_count; ++side) {
            if (!d.sides[side].n) continue;
            add_points(&d, side, top);
            add_median(&d, side, top);
            top += LANE_HEIGHT;
        }
        html_plot_end(&d.plot);
        add_caption(&d);
    }
    for (size_t side = 0; side < view->result->side_count; ++side) free(d.sides[side].sorted_ns);
}
