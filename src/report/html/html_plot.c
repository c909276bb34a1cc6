// SPDX-License-Identifier: Apache-2.0
//
// See html_plot_internal.h.
#include "report/html/html_plot_internal.h"

#include <math.h>

#include "record/metric.h"
#include "report/result/figure_text.h"

#define X_AXIS_HEIGHT 22.0
#define TICKS_WANTED  4.0
#define TICKS_FEWEST  2.5 // of a low plot

double html_plot_x(const struct html_plot *plot, double value) {
    return HTML_PLOT_WIDTH * (value - plot->x_low) / (plot->x_high - plot->x_low);
}

double html_plot_y(const struct html_plot *plot, double value) {
    const double share = (value - plot->y_low) / (plot->y_high - plot->y_low);
    return plot->height * (1 - fmin(fmax(share, 0), 1));
}

// A round step (1, 2, 5 times a power of ten) for about so many ticks.
static double tick_step(double low, double high, double wanted) {
    const double raw = (high - low) / wanted, power = pow(10, floor(log10(raw)));
    const double digit = raw / power;
    return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
}

static const char *y_label(const struct html_plot *plot, double value, double step) {
    if (plot->has_y_metric) return figure_amount_like(plot->metric, value, plot->y_high, step, plot->arena);
    return arena_format(plot->arena, "%.6g", value / plot->unit_size);
}

static void add_y_labels(const struct html_plot *plot, double step) {
    strbuf_addf(plot->out, "<svg class=\"yaxis\" height=\"%.0f\">", plot->height);
    strbuf_addf(plot->out, "<text class=\"dim\" x=\"0\" y=\"10\">%s</text>", plot->name);
    for (double at = ceil(plot->y_low / step) * step; at <= plot->y_high; at += step) {
        const double y = html_plot_y(plot, at);
        if (y > 18 || !plot->has_y_metric) // long labels stand below the name
            strbuf_addf(plot->out, "<text x=\"100%%\" y=\"%.0f\">%s</text>",
                        fmin(fmax(y + 4, 10), plot->height - 1), y_label(plot, at, step));
    }
    strbuf_add(plot->out, "</svg>");
}

static void add_x_labels(const struct html_plot *plot) {
    const double step = tick_step(plot->x_low, plot->x_high, TICKS_WANTED);
    for (double at = ceil(plot->x_low / step) * step; at <= plot->x_high; at += step) {
        const double x = html_plot_x(plot, at) * 100 / HTML_PLOT_WIDTH;
        strbuf_addf(plot->out, "<line class=\"grid\" x1=\"%.1f%%\" x2=\"%.1f%%\" y2=\"%.0f\"/>", x, x,
                    plot->height);
        if (x > 5 && x < 95)
            strbuf_addf(plot->out, "<text class=\"x\" x=\"%.1f%%\" y=\"%.0f\">%s</text>", x,
                        plot->height + 15,
                        figure_amount_like(plot->metric, at, plot->x_high, step, plot->arena));
    }
}

void html_plot_begin(const struct html_plot *plot) {
    const double height = plot->height + (plot->has_x_axis ? X_AXIS_HEIGHT : 0);
    const double step =
        plot->name ? tick_step(plot->y_low, plot->y_high, fmax(plot->height / 45, TICKS_FEWEST)) : 0;
    strbuf_addf(plot->out, "<div class=\"plotted%s\">", plot->name ? "" : " whole");
    if (plot->name) add_y_labels(plot, step);
    strbuf_addf(plot->out, "<svg class=\"area\" height=\"%.0f\">", height);
    if (plot->has_x_axis) add_x_labels(plot);
    for (double at = step > 0 ? ceil(plot->y_low / step) * step : INFINITY; at <= plot->y_high; at += step)
        strbuf_addf(plot->out, "<line class=\"grid\" x2=\"100%%\" y1=\"%.1f\" y2=\"%.1f\"/>",
                    html_plot_y(plot, at), html_plot_y(plot, at));
    strbuf_addf(plot->out,
                "<svg class=\"paths\" width=\"100%%\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
                "preserveAspectRatio=\"none\"",
                plot->height, HTML_PLOT_WIDTH, plot->height);
    const char *unit = metric_unit(metric_parse(plot->metric));
    if (plot->has_y_metric) // for the script, which reads amounts off the chart
        strbuf_addf(plot->out, " data-low=\"%.6g\" data-high=\"%.6g\"", plot->y_low, plot->y_high);
    if (plot->has_y_metric && unit) strbuf_addf(plot->out, " data-unit=\"%s\"", unit);
    strbuf_add(plot->out, ">");
}

void html_plot_end(const struct html_plot *plot) {
    strbuf_add(plot->out, "</svg></svg></div>\n");
}
