// SPDX-License-Identifier: Apache-2.0
//
// The distribution of the times, one line a bin: its first time, the number of samples, a bar. A bar is exact
// to an eighth of a column (a whole column in ASCII); a bin with samples always has a bar.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/term.h"
#include "report/result/figure_text.h"
#include "report/samples/sample_internal.h"

#define NOTE_COLUMNS 15 // room next to the longest bar: "< median (95 %)"

struct histogram {
    const struct sample_set *set;
    const struct sample_axis *axis;
    const struct sample_report_options *options;
    struct arena *arena;
    struct strbuf *out;
    struct sample_bins bins;
    size_t label_width, count_width, bar_width, count_max;
};

struct sample_bins sample_bins_count(const struct sample_set *set, const struct sample_axis *axis) {
    struct sample_bins bins = {0};
    for (size_t i = 0; i < set->n; ++i) {
        int side = sample_axis_side(axis, set->sorted_ns[i]);
        if (side < 0)
            ++bins.below_count;
        else if (side > 0)
            ++bins.above_count;
        else
            bins.counts[sample_axis_bin(axis, set->sorted_ns[i])]++;
    }
    return bins;
}

static const char *edge_text(const struct histogram *histogram, double ns) {
    const struct sample_axis *axis = histogram->axis;
    double step_ns = axis->step_ns > 0 ? axis->step_ns : axis->high_ns / 1000;
    return figure_time_like(ns, axis->high_ns, step_ns, histogram->arena);
}

static double bin_label_ns(const struct sample_axis *axis, size_t bin) {
    return axis->first_ns + (double)bin * axis->step_ns + axis->label_ns;
}

// is_marked: within the confidence interval of the median.
static void add_line(struct histogram *histogram, const char *label, size_t count, bool is_marked,
                     const char *note) {
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    struct strbuf *out = histogram->out, bar = {0};
    bool has_utf8 = histogram->options->has_utf8, has_color = histogram->options->has_color;
    const size_t steps = has_utf8 ? 8 : 1;
    const double share = (double)count / (double)histogram->count_max;
    size_t length = (size_t)llround(share * (double)(histogram->bar_width * steps));
    if (count && length == 0) length = 1;
    for (size_t i = 0; i < length / steps; ++i) strbuf_add(&bar, has_utf8 ? "█" : "#");
    if (has_utf8) strbuf_add(&bar, eighths[length % steps]);
    strbuf_add(out, "  ");
    for (size_t i = str_width(label); i < histogram->label_width; ++i) strbuf_add_char(out, ' ');
    strbuf_addf(out, "%s  %*zu ", label, (int)histogram->count_width, count);
    term_add(out, has_color, is_marked ? TERM_CYAN : TERM_DIM,
             has_utf8 ? (is_marked ? "┃" : "│") : (is_marked ? "*" : "|"));
    term_add(out, has_color, is_marked ? TERM_CYAN : TERM_PLAIN, strbuf_text(&bar));
    if (note) {
        strbuf_add(out, count ? " " : "");
        term_add(out, has_color, TERM_BOLD, note);
    }
    strbuf_add_char(out, '\n');
    strbuf_fini(&bar);
}

static void add_bin(struct histogram *histogram, size_t bin) {
    const struct sample_axis *axis = histogram->axis;
    const struct case_summary *figures = &histogram->set->summary.figures;
    // An end of the interval that is off the axis belongs to the line for samples below or above the axis.
    bool is_marked = bin >= sample_axis_bin(axis, figures->median_low_ns) &&
                     bin <= sample_axis_bin(axis, figures->median_high_ns);
    const char *mark = histogram->options->has_utf8 ? "◄" : "<";
    const struct describe *describe = &histogram->set->summary.describe;
    const char *note = NULL;
    if (bin == sample_axis_bin(axis, figures->median_ns))
        note = arena_format(histogram->arena, "%s median", mark);
    else if (describe->mode_count > 1 && sample_axis_side(axis, describe->mode_split) == 0 &&
             bin == sample_axis_bin(axis, describe->mode_split))
        note = arena_format(histogram->arena, "%s modes split", mark);
    add_line(histogram, edge_text(histogram, bin_label_ns(axis, bin)), histogram->bins.counts[bin], is_marked,
             note);
}

static void measure(struct histogram *histogram) {
    const struct sample_bins *bins = &histogram->bins;
    const struct sample_axis *axis = histogram->axis;
    size_t largest = bins->below_count > bins->above_count ? bins->below_count : bins->above_count;
    for (size_t i = 0; i < axis->bin_count; ++i)
        if (bins->counts[i] > largest) largest = bins->counts[i];
    histogram->count_max = largest;
    histogram->count_width = strlen(arena_format(histogram->arena, "%zu", largest));
    size_t label = strlen(edge_text(histogram, axis->high_ns));
    for (size_t i = 0; i < axis->bin_count; ++i) {
        size_t length = strlen(edge_text(histogram, bin_label_ns(axis, i)));
        if (length > label) label = length;
    }
    histogram->label_width = label + 2; // "> " of the last line
    size_t taken = 2 + histogram->label_width + 2 + histogram->count_width + 2 + NOTE_COLUMNS;
    histogram->bar_width = histogram->options->width > taken + 10 ? histogram->options->width - taken : 10;
}

void sample_histogram_print(const struct sample_set *set, const struct sample_axis *axis,
                            const struct sample_report_options *options, struct strbuf *out) {
    struct arena arena = {0};
    struct histogram histogram = {.set = set,
                                  .axis = axis,
                                  .options = options,
                                  .arena = &arena,
                                  .out = out,
                                  .bins = sample_bins_count(set, axis)};
    const struct describe *describe = &set->summary.describe;
    measure(&histogram);
    term_add(out, options->has_color, TERM_BOLD, "  distribution");
    if (axis->step_ns > 0)
        strbuf_addf(out, ", bins of %s; %s: the median's confidence interval",
                    figure_time_like(axis->step_ns, axis->step_ns, axis->step_ns / 10, &arena),
                    options->has_utf8 ? "┃" : "*");
    strbuf_add_char(out, '\n');
    if (histogram.bins.below_count)
        add_line(&histogram, arena_format(&arena, "< %s", edge_text(&histogram, axis->low_ns)),
                 histogram.bins.below_count, set->summary.figures.median_low_ns < axis->low_ns,
                 arena_format(&arena, "from %s", figure_time(describe->min, &arena)));
    for (size_t i = 0; i < axis->bin_count; ++i) add_bin(&histogram, i);
    if (histogram.bins.above_count)
        add_line(&histogram, arena_format(&arena, "> %s", edge_text(&histogram, axis->high_ns)),
                 histogram.bins.above_count, set->summary.figures.median_high_ns > axis->high_ns,
                 arena_format(&arena, "up to %s", figure_time(describe->max, &arena)));
    arena_fini(&arena);
}
