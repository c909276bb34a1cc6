// SPDX-License-Identifier: Apache-2.0
//
// The roofline as SVG. Colours come from a style sheet inside, which follows the page's light or dark scheme.
// Kernels differ in colour and in shape, counted points are hollow.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/html_text.h"
#include "base/term.h"
#include "report/roofline/label_layout_internal.h"
#include "report/roofline/roofline_axes_internal.h"
#include "report/roofline/roofline_report.h"

#define WIDTH       1000.0
#define HEIGHT      600.0
#define PLOT_LEFT   72.0
#define PLOT_TOP    76.0
#define PLOT_WIDTH  620.0
#define PLOT_HEIGHT 460.0
#define PLOT_RIGHT  (PLOT_LEFT + PLOT_WIDTH)
#define PLOT_BOTTOM (PLOT_TOP + PLOT_HEIGHT)
#define CHAR_WIDTH  6.6 // of the small text, with room for wide fonts
#define LINE_HEIGHT 13.0
#define MARK_RADIUS 5.0
#define CLUSTER     40.0 // points of one problem nearer than this share a label
#define LEADER_FROM 12.0 // a label farther from its mark than this gets a line
#define RATE_BYTES  32
#define MARK_KINDS  5
#define ROOFS_ROOM  64 // boxes kept free along the labels of slopes, and of roofs in the margin

static const char style[] =
    "<style>\n"
    "svg{--bg:#fff;--fg:#1f2328;--dim:#59636e;--grid:#e2e6ea;--roof:#1f2328;--bad:#cf222e;\n"
    "--k0:#0969da;--k1:#bc4c00;--k2:#1a7f37;--k3:#8250df;--k4:#0e7c86}\n"
    "@media (prefers-color-scheme:dark){svg{--bg:#0d1117;--fg:#e6edf3;--dim:#9198a1;--grid:#21262d;\n"
    "--roof:#c9d1d9;--bad:#ff7b72;--k0:#58a6ff;--k1:#f0883e;--k2:#3fb950;--k3:#bc8cff;--k4:#39c5cf}}\n"
    "text{font-family:system-ui,'Segoe UI','DejaVu Sans',sans-serif;font-size:11px;fill:var(--fg)}\n"
    ".title{font-size:16px;font-weight:600}.dim{fill:var(--dim)}\n"
    ".grid{stroke:var(--grid)}.frame{fill:none;stroke:var(--dim)}\n"
    ".roof{stroke:var(--roof);stroke-width:1.6;fill:none}.ridge{fill:var(--bg);stroke:var(--roof)}\n"
    ".lead{stroke:var(--dim);stroke-width:.7}.tie{stroke:var(--dim);stroke-dasharray:2 3}\n"
    ".halo{paint-order:stroke;stroke:var(--bg);stroke-width:3px;stroke-linejoin:round}\n"
    ".k0{--c:var(--k0)}.k1{--c:var(--k1)}.k2{--c:var(--k2)}.k3{--c:var(--k3)}.k4{--c:var(--k4)}\n"
    ".bad{--c:var(--bad)}.mark{fill:var(--c);stroke:var(--c);stroke-width:1.5}\n"
    ".counted{fill:var(--bg)}\n"
    "</style>\n";

struct drawing {
    const struct roofline *roofline;
    const struct roofline_place *places; // of the points
    const size_t *kinds;                 // of the points: which kernel's colour and shape
    struct roofline_axes axes;
    struct label_layout layout;
    size_t unlabelled_count;
    struct strbuf *out;
};

// ---- text ----

static void add_text(struct strbuf *out, double x, double y, const char *attributes, const char *text) {
    strbuf_addf(out, "<text x=\"%.1f\" y=\"%.1f\"%s>", x, y, attributes);
    html_add_text(out, text);
    strbuf_add(out, "</text>\n");
}

static double width_of(const char *text) {
    size_t count = 0; // code points
    for (; *text; ++text) count += ((unsigned char)*text & 0xc0) != 0x80;
    return CHAR_WIDTH * (double)count;
}

static void add_line(struct strbuf *out, const char *class, const double from[2], const double to[2]) {
    strbuf_addf(out, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", class, from[0],
                from[1], to[0], to[1]);
}

// ---- axes ----

static double x_of(const struct drawing *d, double flop_per_byte) {
    return PLOT_LEFT + PLOT_WIDTH * roofline_axis_place(&d->axes.x, flop_per_byte);
}

static double y_of(const struct drawing *d, double gflop_per_s) {
    return PLOT_BOTTOM -
           PLOT_HEIGHT * roofline_axis_place(&d->axes.y, gflop_per_s / d->axes.unit_gflop_per_s);
}

static void add_ticks(struct drawing *d, bool is_x) {
    const struct roofline_axis *axis = is_x ? &d->axes.x : &d->axes.y;
    for (double tick = roofline_axis_tick(axis, axis->low); tick <= axis->high * 1.001;
         tick = roofline_axis_tick(axis, tick * 1.001)) {
        char label[RATE_BYTES];
        const double at = roofline_axis_place(axis, tick);
        const double x = PLOT_LEFT + at * PLOT_WIDTH, y = PLOT_BOTTOM - at * PLOT_HEIGHT;
        snprintf(label, sizeof label, "%.6g", tick);
        if (is_x) {
            add_line(d->out, "grid", (double[]){x, PLOT_TOP}, (double[]){x, PLOT_BOTTOM});
            add_text(d->out, x, PLOT_BOTTOM + 17, " class=\"dim\" text-anchor=\"middle\"", label);
        } else {
            add_line(d->out, "grid", (double[]){PLOT_LEFT, y}, (double[]){PLOT_RIGHT, y});
            add_text(d->out, PLOT_LEFT - 7, y + 4, " class=\"dim\" text-anchor=\"end\"", label);
        }
    }
}

static void add_axes(struct drawing *d) {
    add_ticks(d, true);
    add_ticks(d, false);
    strbuf_addf(d->out, "<rect class=\"frame\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n",
                PLOT_LEFT, PLOT_TOP, PLOT_WIDTH, PLOT_HEIGHT);
    add_text(d->out, PLOT_LEFT + PLOT_WIDTH / 2, PLOT_BOTTOM + 36, " text-anchor=\"middle\"",
             "arithmetic intensity, FLOP/byte");
    strbuf_addf(d->out,
                "<text x=\"18\" y=\"%.1f\" text-anchor=\"middle\" transform=\"rotate(-90 18 %.1f)\">%s"
                "</text>\n",
                PLOT_TOP + PLOT_HEIGHT / 2, PLOT_TOP + PLOT_HEIGHT / 2, d->axes.unit);
}

// ---- roofs ----

static const char *roof_label(const struct roof *roof, struct arena *arena) {
    char rate[RATE_BYTES];
    term_format_rate(roof->value, roof->is_bandwidth ? "B/s" : "FLOP/s", rate, sizeof rate);
    return arena_format(arena, "%s %s%s%s%s", roof->name, rate, roof->measured ? " (" : "",
                        str_or(roof->measured, ""), roof->measured ? ")" : "");
}

// Where the roof enters and leaves the plot; false: it does not cross it.
static bool roof_ends(const struct drawing *d, const struct roof *roof, double ret_from[2],
                      double ret_to[2]) {
    const double unit = d->axes.unit_gflop_per_s;
    const double top = fmin(roofline_highest_rate(d->roofline), d->axes.y.high * unit);
    double from = roofline_rate_begin(d->roofline, roof), to = d->axes.x.high;
    if (roof->is_bandwidth) {
        from = d->axes.y.low * unit / roof->value;
        to = fmin(to, top / roof->value);
    }
    from = fmax(from, d->axes.x.low);
    if (!(from < to)) return false;
    ret_from[0] = x_of(d, from);
    ret_from[1] = y_of(d, roof->is_bandwidth ? roof->value * from : roof->value);
    ret_to[0] = x_of(d, to);
    ret_to[1] = y_of(d, roof->is_bandwidth ? roof->value * to : roof->value);
    return true;
}

// hypot of glibc 2.35 is a new one: a program that calls it starts on no system before that.
static double length_of(double x, double y) {
    return sqrt(x * x + y * y);
}

// Along the slope, above it; points' labels keep away.
static void label_slope(struct drawing *d, const struct roof *roof, const double from[2], const double to[2],
                        struct arena *arena) {
    const char *label = roof_label(roof, arena);
    const double dx = to[0] - from[0], dy = to[1] - from[1], length = length_of(dx, dy);
    const double shift = 10, up = 5;
    const double x = from[0] + shift * dx / length + up * dy / length;
    const double y = from[1] + shift * dy / length - up * dx / length;
    char attributes[128];
    if (width_of(label) + 2 * shift > length) { // a short slope: beside its upper end
        add_text(d->out, to[0] - 6, to[1] - 6, " class=\"halo\" text-anchor=\"end\"", label);
        return;
    }
    snprintf(attributes, sizeof attributes, " class=\"halo\" transform=\"rotate(%.2f %.1f %.1f)\"",
             atan2(dy, dx) * 180 / acos(-1), x, y);
    add_text(d->out, x, y, attributes, label);
    for (double at = 0; at < width_of(label); at += LINE_HEIGHT)
        label_layout_take(&d->layout, (struct rect){x + at * dx / length, y + at * dy / length - LINE_HEIGHT,
                                                    LINE_HEIGHT, LINE_HEIGHT});
}

// In the margin, at the roof's end or above the label below it.
static void label_rate(struct drawing *d, const struct roof *roof, double y, struct arena *arena) {
    const char *ridges = "";
    add_text(d->out, PLOT_RIGHT + 10, y, "", roof_label(roof, arena));
    for (int level = 0; level < LEVEL_COUNT; ++level) {
        char text[RATE_BYTES];
        intensity_format(roofline_ridge(d->roofline, roof, (enum memory_level)level), text, sizeof text);
        if (*text)
            ridges = arena_format(arena, "%s%s%s at %s", ridges, *ridges ? ", " : "ridge point ",
                                  memory_level_name((enum memory_level)level), text);
    }
    if (*ridges)
        add_text(d->out, PLOT_RIGHT + 10, y + LINE_HEIGHT, " class=\"dim\"",
                 arena_format(arena, "%s FLOP/byte", ridges));
}

// The drawn rate with the lowest value above `above`; NULL: none.
static const struct roof *next_rate(const struct roofline *roofline, double above) {
    const struct roof *next = NULL;
    for (size_t i = 0; i < roofline->roof_count; ++i) {
        const struct roof *roof = &roofline->roofs[i];
        if (roof->is_bandwidth || !roofline_draws_roof(roofline, roof) || !(roof->value > above)) continue;
        if (!next || roof->value < next->value) next = roof;
    }
    return next;
}

static void add_rates(struct drawing *d, struct arena *arena) {
    double lowest_free = HEIGHT;
    for (const struct roof *roof = next_rate(d->roofline, 0); roof;
         roof = next_rate(d->roofline, roof->value)) {
        double from[2], to[2];
        if (!roof_ends(d, roof, from, to)) continue;
        const double y = fmin(to[1] + 4, lowest_free - 2 * LINE_HEIGHT - 4);
        add_line(d->out, "roof", from, to);
        add_line(d->out, "lead", to, (double[]){PLOT_RIGHT + 8, y - 4});
        label_rate(d, roof, y, arena);
        lowest_free = y;
    }
}

static void add_bandwidths(struct drawing *d, struct arena *arena) {
    for (size_t i = 0; i < d->roofline->roof_count; ++i) {
        const struct roof *roof = &d->roofline->roofs[i];
        double from[2], to[2];
        if (!roof->is_bandwidth || !roofline_draws_roof(d->roofline, roof) || !roof_ends(d, roof, from, to))
            continue;
        add_line(d->out, "roof", from, to);
        label_slope(d, roof, from, to, arena);
    }
}

static void add_ridges(struct drawing *d, const struct roof *roof) {
    for (int level = 0; level < LEVEL_COUNT; ++level) {
        char text[RATE_BYTES];
        const double ridge = roofline_ridge(d->roofline, roof, (enum memory_level)level);
        if (!isfinite(ridge)) continue;
        intensity_format(ridge, text, sizeof text);
        strbuf_addf(d->out,
                    "<circle class=\"ridge\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"><title>ridge point of %s: %s "
                    "FLOP/byte</title></circle>\n",
                    x_of(d, ridge), y_of(d, roof->value), memory_level_name((enum memory_level)level), text);
    }
}

// ---- points ----

// A circle, square, triangle, diamond or cross, around (x, y).
static void add_mark(struct strbuf *out, size_t kind, const char *class, bool is_hollow, double x, double y) {
    static const char *const shapes[MARK_KINDS] = {"M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z",
                                                   "M-4.5-4.5h9v9h-9z", "M0-6l5.5 10h-11z",
                                                   "M0-6l6 6-6 6-6-6z", "M-5-2h3v-3h4v3h3v4h-3v3h-4v-3h-3z"};
    strbuf_addf(out, "<path class=\"mark %s%s\" transform=\"translate(%.1f %.1f)\" d=\"%s\"/>", class,
                is_hollow ? " counted" : "", x, y, shapes[kind % MARK_KINDS]);
}

// Kernels in their order: each has a colour and a shape.
static size_t *kinds_of(const struct roofline *roofline, struct arena *arena) {
    size_t *kinds = arena_array(arena, roofline->point_count + 1, sizeof *kinds), next = 0;
    for (size_t i = 0; i < roofline->point_count; ++i) {
        size_t first = 0;
        while (!str_equal(roofline->points[first].kernel, roofline->points[i].kernel) && first < i) ++first;
        kinds[i] = first < i ? kinds[first] : next++;
    }
    return kinds;
}

static void add_point(struct drawing *d, size_t index, enum memory_level level) {
    const struct roofline_point *point = &d->roofline->points[index];
    const bool is_bad = d->places[index].diagnosis.bottleneck == BOTTLENECK_ACCOUNTING_ERROR;
    const size_t kind = d->kinds[index] % MARK_KINDS;
    char rate[RATE_BYTES], class[RATE_BYTES] = "bad";
    if (!is_bad) snprintf(class, sizeof class, "k%zu", kind);
    term_format_rate(point->gflop_per_s, "FLOP/s", rate, sizeof rate);
    strbuf_addf(d->out, "<g><title>");
    html_add_text(d->out, point->problem);
    html_add_text(d->out, point->kernel ? ", " : "");
    html_add_text(d->out, str_or(point->kernel, ""));
    strbuf_addf(d->out, ": %s, %.3g FLOP/byte %s at %s, ", rate, point->flop_per_byte[level],
                point->profile ? "counted" : "modelled", memory_level_name(level));
    html_add_text(d->out, bottleneck_name(d->places[index].diagnosis.bottleneck));
    strbuf_add(d->out, "</title>");
    add_mark(d->out, kind, class, point->profile, x_of(d, point->flop_per_byte[level]),
             y_of(d, point->gflop_per_s));
    strbuf_add(d->out, "</g>\n");
}

// A line between the places of one point at DRAM and at L2.
static void add_tie(struct drawing *d, const struct roofline_point *point) {
    const double y = y_of(d, point->gflop_per_s);
    if (roofline_draws_point(point, LEVEL_DRAM) && roofline_draws_point(point, LEVEL_L2))
        add_line(d->out, "tie", (double[]){x_of(d, point->flop_per_byte[LEVEL_DRAM]), y},
                 (double[]){x_of(d, point->flop_per_byte[LEVEL_L2]), y});
}

// Whether a point before this one has the same label close by: kernels on one problem lie together.
static bool shares_label(const struct drawing *d, size_t index) {
    const struct roofline_point *points = d->roofline->points, *one = &points[index];
    for (size_t i = 0; i < index; ++i)
        if (roofline_draws_point(&points[i], LEVEL_DRAM) && str_equal(points[i].problem, one->problem) &&
            length_of(x_of(d, points[i].flop_per_byte[LEVEL_DRAM]) - x_of(d, one->flop_per_byte[LEVEL_DRAM]),
                      y_of(d, points[i].gflop_per_s) - y_of(d, one->gflop_per_s)) < CLUSTER)
            return true;
    return false;
}

// Beside its place at DRAM.
static void label_point(struct drawing *d, size_t index) {
    const struct roofline_point *point = &d->roofline->points[index];
    if (!roofline_draws_point(point, LEVEL_DRAM) || shares_label(d, index)) return;
    const double x = x_of(d, point->flop_per_byte[LEVEL_DRAM]), y = y_of(d, point->gflop_per_s);
    struct rect label = {.width = width_of(point->problem), .height = LINE_HEIGHT};
    if (!label_layout_place(&d->layout, x, y, &label)) {
        ++d->unlabelled_count;
        return;
    }
    const double near_x = fmin(fmax(x, label.x), label.x + label.width);
    const double near_y = fmin(fmax(y, label.y), label.y + label.height);
    if (length_of(near_x - x, near_y - y) > LEADER_FROM)
        add_line(d->out, "lead", (double[]){x, y}, (double[]){near_x, near_y});
    add_text(d->out, label.x, label.y + LINE_HEIGHT - 3, " class=\"halo\"", point->problem);
}

static void add_points(struct drawing *d) {
    const struct roofline *roofline = d->roofline;
    for (size_t i = 0; i < roofline->point_count; ++i)
        for (int level = 0; level < LEVEL_COUNT; ++level) {
            const struct roofline_point *point = &roofline->points[i];
            if (!roofline_draws_point(point, (enum memory_level)level)) continue;
            label_layout_take(&d->layout,
                              (struct rect){x_of(d, point->flop_per_byte[level]) - MARK_RADIUS - 1,
                                            y_of(d, point->gflop_per_s) - MARK_RADIUS - 1,
                                            2 * MARK_RADIUS + 2, 2 * MARK_RADIUS + 2});
        }
    for (size_t i = 0; i < roofline->point_count; ++i) add_tie(d, &roofline->points[i]);
    for (size_t i = 0; i < roofline->point_count; ++i) // lines of labels go under the marks
        label_point(d, i);
    for (size_t i = 0; i < roofline->point_count; ++i)
        for (int level = 0; level < LEVEL_COUNT; ++level)
            if (roofline_draws_point(&roofline->points[i], (enum memory_level)level))
                add_point(d, i, (enum memory_level)level);
}

// ---- around the plot ----

// The first point of each kernel names it.
static void add_legend(struct drawing *d) {
    double x = PLOT_LEFT;
    size_t next = 0;
    bool has_counted = false;
    for (size_t i = 0; i < d->roofline->point_count; ++i) {
        const char *kernel = d->roofline->points[i].kernel;
        char class[RATE_BYTES];
        has_counted = has_counted || d->roofline->points[i].profile;
        if (!kernel || d->kinds[i] != next) continue;
        snprintf(class, sizeof class, "k%zu", next++ % MARK_KINDS);
        add_mark(d->out, d->kinds[i], class, false, x + MARK_RADIUS, PLOT_TOP - 20);
        add_text(d->out, x + 16, PLOT_TOP - 16, "", kernel);
        x += 34 + width_of(kernel);
    }
    if (has_counted)
        add_text(d->out, x, PLOT_TOP - 16, " class=\"dim\"", "hollow: bytes counted, else modelled");
}

// Below the plot: what is missing, and what is wrong.
static void add_remarks(struct drawing *d, struct arena *arena) {
    size_t refused_count = 0, roofless_count = 0;
    for (size_t i = 0; i < d->roofline->point_count; ++i) {
        const bool is_refused = d->places[i].diagnosis.bottleneck == BOTTLENECK_ACCOUNTING_ERROR;
        refused_count += is_refused;
        roofless_count += !is_refused && !d->places[i].roof;
    }
    double y = PLOT_BOTTOM + 54;
    const char *const remarks[] = {
        roofless_count ? "No ceilings are stored: 'assay devices --ceilings' measures them." : NULL,
        refused_count
            ? arena_format(arena, "%zu above a ceiling: accounting errors, not classified.", refused_count)
            : NULL,
        d->unlabelled_count
            ? arena_format(arena, "%zu without a label, for lack of room.", d->unlabelled_count)
            : NULL};
    double x = PLOT_LEFT;
    for (size_t i = 0; i < sizeof remarks / sizeof *remarks; ++i) {
        if (!remarks[i]) continue;
        add_text(d->out, x, y, " class=\"dim\"", remarks[i]);
        x += width_of(remarks[i]) + 12;
    }
}

static void add_head(struct drawing *d, struct arena *arena) {
    const char *title =
        arena_format(arena, "Roofline of %s", str_or(d->roofline->device, "a device that is not known"));
    strbuf_addf(
        d->out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" width=\"%g\" height=\"%g\" "
        "role=\"img\" aria-labelledby=\"roofline-title roofline-desc\">\n<title id=\"roofline-title\">",
        WIDTH, HEIGHT, WIDTH, HEIGHT);
    html_add_text(d->out, title);
    strbuf_addf(
        d->out,
        "</title>\n<desc id=\"roofline-desc\">%zu points: FLOP/byte to the right, FLOP/s upwards, both "
        "logarithmic; measured ceilings as roofs.</desc>\n%s<rect width=\"%g\" height=\"%g\" "
        "style=\"fill:var(--bg)\"/>\n",
        d->roofline->point_count, style, WIDTH, HEIGHT);
    add_text(d->out, PLOT_LEFT, 32, " class=\"title\"", title);
}

static void add_plot(struct drawing *d, struct arena *arena) {
    add_axes(d);
    add_bandwidths(d, arena);
    add_rates(d, arena);
    for (size_t i = 0; i < d->roofline->roof_count; ++i)
        if (roofline_draws_roof(d->roofline, &d->roofline->roofs[i])) add_ridges(d, &d->roofline->roofs[i]);
    add_points(d);
    add_legend(d);
}

void roofline_svg(const struct roofline *roofline, struct strbuf *out) {
    struct arena arena = {0};
    struct roofline_place *places = arena_array(&arena, roofline->point_count + 1, sizeof *places);
    const struct rect frame = {PLOT_LEFT, PLOT_TOP, PLOT_WIDTH, PLOT_HEIGHT};
    struct drawing d = {.roofline = roofline,
                        .places = places,
                        .kinds = kinds_of(roofline, &arena),
                        .axes = roofline_axes_make(roofline),
                        .layout = label_layout_make(frame, 3 * roofline->point_count + ROOFS_ROOM, &arena),
                        .out = out};
    for (size_t i = 0; i < roofline->point_count; ++i)
        places[i] = roofline_place(roofline, &roofline->points[i], &arena);
    add_head(&d, &arena);
    if (d.axes.x.low > 0)
        add_plot(&d, &arena);
    else
        add_text(out, PLOT_LEFT, PLOT_TOP, "", "Nothing to draw: neither a rate nor a ceiling is known.");
    add_remarks(&d, &arena);
    strbuf_add(out, "</svg>\n");
    arena_fini(&arena);
}
