// SPDX-License-Identifier: Apache-2.0
//
// The samples of a problem in order of measurement, round by round, both sides above each other; below it
// the clock and the temperature where they were read. Of many samples the fastest and the slowest of each
// group are drawn, so that no outlier is lost.
#include <math.h>
#include <stdlib.h>

#include "base/html_text.h"
#include "base/mem.h"
#include "record/metric.h"
#include "report/html/html_plot_internal.h"
#include "report/html/html_view_internal.h"
#include "report/result/figure_text.h"
#include "stats/describe.h"
#include "stats/float_order.h"

#define COURSE_HEIGHT 170.0
#define STRIP_HEIGHT  58.0

struct course {
    const struct html_view *view;
    const struct result_case *item;
    size_t *starts; // owned: of each round, its first place; one more for the end
    struct html_plot plot;
    size_t group;                         // so many samples give two points
    size_t counted_count, excluded_count; // excluded: discarded, or of rounds that are not valid
    size_t drawn_counted, drawn_excluded; // of these
};

static size_t round_length(const struct course *course, size_t round) {
    size_t longest = 0;
    for (size_t side = 0; side < course->view->result->side_count; ++side) {
        const size_t count = course->item->rounds[round].samples[side].count;
        longest = count > longest ? count : longest;
    }
    return longest;
}

static bool counts(const struct result_round *round, const struct sample *sample) {
    return round->is_valid && sample->discard == DISCARD_NONE;
}

// Room for the samples that count, and a little more for those that do not.
static bool set_range(struct course *course) {
    double low = INFINITY, high = -INFINITY, lowest = INFINITY, highest = -INFINITY;
    for (size_t r = 0; r < course->item->round_count; ++r) {
        const struct result_round *round = &course->item->rounds[r];
        for (size_t side = 0; side < course->view->result->side_count; ++side)
            for (size_t i = 0; i < round->samples[side].count; ++i) {
                const struct sample *sample = &round->samples[side].items[i];
                const double ns = sample_time_ns(sample);
                lowest = fmin(lowest, ns);
                highest = fmax(highest, ns);
                course->excluded_count += !counts(round, sample);
                course->counted_count += counts(round, sample);
                if (!counts(round, sample)) continue;
                low = fmin(low, ns);
                high = fmax(high, ns);
            }
    }
    if (!(lowest <= highest)) return false;
    if (!(low <= high)) low = lowest, high = highest;
    const double margin = fmax(0.08 * (high - low), HTML_PLOT_MARGIN_MIN * high);
    course->plot.y_low = fmax(low - margin, 0);
    course->plot.y_high = high + margin;
    return true;
}

static double x_of(const struct course *course, size_t round, size_t index) {
    return html_plot_x(&course->plot, (double)(course->starts[round] + index) + 0.5);
}

static void add_point(const struct course *course, size_t round, size_t index, size_t side) {
    const struct sample *sample = &course->item->rounds[round].samples[side].items[index];
    strbuf_addf(course->view->out, "M%.0f %.1fh0", x_of(course, round, index),
                html_plot_y(&course->plot, sample_time_ns(sample)));
}

// The fastest and the slowest of the samples from begin to end that count, or do not; in their order.
static void add_extremes(struct course *course, size_t r, size_t side, const size_t range[2],
                         bool wants_counting) {
    const struct result_round *round = &course->item->rounds[r];
    const struct sample *items = round->samples[side].items;
    size_t fastest = range[1], slowest = range[1];
    for (size_t i = range[0]; i < range[1]; ++i) {
        if (counts(round, &items[i]) != wants_counting) continue;
        if (fastest == range[1] || sample_time_ns(&items[i]) < sample_time_ns(&items[fastest])) fastest = i;
        if (slowest == range[1] || sample_time_ns(&items[i]) > sample_time_ns(&items[slowest])) slowest = i;
    }
    if (fastest == range[1]) return;
    *(wants_counting ? &course->drawn_counted : &course->drawn_excluded) += fastest == slowest ? 1 : 2;
    add_point(course, r, fastest < slowest ? fastest : slowest, side);
    if (fastest != slowest) add_point(course, r, fastest < slowest ? slowest : fastest, side);
}

static void add_points(struct course *course, size_t side, bool wants_counting) {
    struct strbuf *out = course->view->out;
    if (!wants_counting && !course->excluded_count) return;
    strbuf_addf(out, "<path class=\"points s%zu%s\" d=\"", side, wants_counting ? "" : " excluded");
    for (size_t r = 0; r < course->item->round_count; ++r) {
        const size_t count = course->item->rounds[r].samples[side].count;
        for (size_t i = 0; i < count; i += course->group) {
            const size_t end = i + course->group < count ? i + course->group : count;
            add_extremes(course, r, side, (size_t[]){i, end}, wants_counting);
        }
    }
    strbuf_add(out, "\"/>");
}

// The median of each round and side as a line over its round.
static void add_medians(const struct course *course, size_t side, double *scratch) {
    struct strbuf *out = course->view->out;
    strbuf_addf(out, "<path class=\"median s%zu\" d=\"", side);
    for (size_t r = 0; r < course->item->round_count; ++r) {
        const struct result_round *round = &course->item->rounds[r];
        const size_t n = round->is_valid ? samples_times_ns(&round->samples[side], scratch) : 0;
        if (!n) continue;
        const double median = describe_unsorted_median(scratch, n);
        strbuf_addf(out, "M%.1f %.1fH%.1f", html_plot_x(&course->plot, (double)course->starts[r]),
                    html_plot_y(&course->plot, median),
                    html_plot_x(&course->plot, (double)course->starts[r + 1]));
    }
    strbuf_add(out, "\"/>");
}

static void add_borders(const struct course *course) {
    strbuf_add(course->view->out, "<path class=\"border\" d=\"");
    for (size_t r = 1; r < course->item->round_count; ++r)
        if (course->starts[r] > 0 && course->starts[r] < course->starts[r + 1])
            strbuf_addf(course->view->out, "M%.1f 0V%.0f",
                        html_plot_x(&course->plot, (double)course->starts[r]), course->plot.height);
    strbuf_add(course->view->out, "\"/>");
}

// ---- clock and temperature ----

// What a strip shows of a sample; NAN: not read.
typedef double strip_value(const struct result_round *round, const struct sample *sample);

static double clock_of(const struct result_round *round, const struct sample *sample) {
    if (sample->kernel_clock_hz > 0) return sample->kernel_clock_hz;
    if (sample->clock_hz > 0) return sample->clock_hz;
    return round->has_state && round->state.clock_hz > 0 ? round->state.clock_hz : NAN;
}

static double temperature_of(const struct result_round *round, const struct sample *sample) {
    (void)sample;
    return round->has_state ? round->state.temperature_c : NAN;
}

// The first side of a round that has samples: all share the device.
static const struct samples *samples_of(const struct course *course, size_t round) {
    const struct samples *samples = course->item->rounds[round].samples;
    size_t side = 0;
    while (side + 1 < course->view->result->side_count && !samples[side].count) ++side;
    return &samples[side];
}

static void widen(const struct course *course, strip_value *value, double ret_range[2]) {
    for (size_t r = 0; r < course->item->round_count; ++r) {
        const struct samples *samples = samples_of(course, r);
        for (size_t i = 0; i < samples->count; ++i) {
            const double at = value(&course->item->rounds[r], &samples->items[i]);
            ret_range[0] = fmin(ret_range[0], at);
            ret_range[1] = fmax(ret_range[1], at);
        }
    }
}

// A line over the rounds, one value a group of samples; nothing where nothing was read.
static void add_strip(const struct course *course, strip_value *value, const char *name, double unit_size) {
    double range[2] = {INFINITY, -INFINITY};
    struct html_plot plot = course->plot;
    widen(course, value, range);
    if (!(range[0] <= range[1])) return;
    const double margin = fmax(0.15 * (range[1] - range[0]), fmax(0.01 * range[1], unit_size));
    plot.y_low = range[0] - margin;
    plot.y_high = range[1] + margin;
    plot.height = STRIP_HEIGHT;
    plot.has_y_metric = false;
    plot.unit_size = unit_size;
    plot.name = name;
    html_plot_begin(&plot);
    strbuf_add(plot.out, "<path class=\"strip\" d=\"");
    for (size_t r = 0; r < course->item->round_count; ++r) {
        const struct samples *samples = samples_of(course, r);
        char letter = 'M';
        for (size_t i = 0; i < samples->count; i += course->group) {
            const double at = value(&course->item->rounds[r], &samples->items[i]);
            if (!isfinite(at)) continue;
            strbuf_addf(plot.out, "%c%.0f %.1f", letter, x_of(course, r, i), html_plot_y(&plot, at));
            letter = 'L';
        }
        if (letter == 'L') strbuf_add(plot.out, "h3");
    }
    strbuf_add(plot.out, "\"/>");
    html_plot_end(&plot);
}

// ---- the figure ----

static void add_caption(const struct course *course) {
    struct strbuf *out = course->view->out;
    const size_t rounds = course->item->round_count;
    strbuf_addf(out,
                "</div>\n<figcaption>Course: %s in order, %zu %s; a line is the median of a round. "
                "Below it the clock and the temperature, where they "
                "were read.",
                course->drawn_counted < course->counted_count ? "samples" : "every sample", rounds,
                rounds == 1 ? "round" : "rounds");
    if (course->drawn_counted < course->counted_count)
        strbuf_addf(out,
                    " Drawn are %zu of %zu samples that count: of each %zu of a side the fastest and the "
                    "slowest.",
                    course->drawn_counted, course->counted_count, course->group);
    if (course->excluded_count) strbuf_add(out, " Pale: ");
    if (course->drawn_excluded < course->excluded_count) strbuf_addf(out, "%zu of ", course->drawn_excluded);
    if (course->excluded_count)
        strbuf_addf(out, "%zu that do not count (disturbed, or of a round that is not valid).",
                    course->excluded_count);
    strbuf_add(out, "</figcaption></figure>\n");
}

static void draw(struct course *course, double *scratch) {
    const size_t side_count = course->view->result->side_count;
    const char *metric = course->plot.metric;
    struct strbuf *out = course->view->out;
    strbuf_add(out, "<figure class=\"course\"><div role=\"img\" aria-label=\"");
    strbuf_addf(out, "%ss of the samples of ", metric_unit(metric_parse(metric)) ? "Count" : "Time");
    html_add_text(out, result_case_name(course->item));
    strbuf_addf(out, " in order of measurement, %zu rounds, from %s to %s\">\n", course->item->round_count,
                figure_amount(metric, course->plot.y_low, course->view->arena),
                figure_amount(metric, course->plot.y_high, course->view->arena));
    html_plot_begin(&course->plot);
    add_borders(course);
    for (size_t side = 0; side < side_count; ++side) add_points(course, side, false);
    for (size_t side = 0; side < side_count; ++side) add_points(course, side, true);
    for (size_t side = 0; side < side_count; ++side) add_medians(course, side, scratch);
    html_plot_end(&course->plot);
    add_strip(course, clock_of, "MHz", 1e6);
    add_strip(course, temperature_of, "&#176;C", 1);
    add_caption(course);
}

int html_course_add(const struct html_view *view, const struct result_case *item) {
    struct course course = {.view = view, .item = item};
    const enum metric metric = metric_parse(view->result->environment.metric);
    size_t longest = 0, total = 0;
    course.starts = mem_try_array(item->round_count + 1, sizeof *course.starts);
    if (!course.starts) return -1;
    for (size_t r = 0; r < item->round_count; ++r) {
        const size_t length = round_length(&course, r);
        course.starts[r] = total;
        total += length;
        longest = length > longest ? length : longest;
    }
    course.starts[item->round_count] = total;
    course.group = total > view->points_max ? (2 * total + view->points_max - 1) / view->points_max : 1;
    course.plot = (struct html_plot){.out = view->out,
                                     .arena = view->arena,
                                     .x_high = (double)total,
                                     .height = COURSE_HEIGHT,
                                     .metric = view->result->environment.metric,
                                     .has_y_metric = true,
                                     .name = str_or(metric_unit(metric), "time")};
    double *scratch = mem_try_array(longest + 1, sizeof *scratch);
    if (scratch && set_range(&course)) draw(&course, scratch);
    free(scratch);
    free(course.starts);
    return scratch ? 0 : -1;
}
