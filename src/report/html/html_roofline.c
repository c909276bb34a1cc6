// SPDX-License-Identifier: Apache-2.0
//
// The roofline of a page: the drawing of report/roofline/ as a picture (its style sheet stays its
// own), and the points as a table, which is its text.
#include <math.h>

#include "base/html_text.h"
#include "report/html/base64.h"
#include "report/html/html_blocks.h"
#include "report/html/html_view_internal.h"
#include "report/result/figure_text.h"
#include "report/roofline/roofline_report.h"

static void add_points(const struct html_view *view, const struct roofline *roofline) {
    static const char *const head[] = {"problem", "kernel", "FLOP/byte", "rate", "of the roof", "limit"};
    struct report_blocks blocks = {.arena = view->arena, .has_utf8 = true};
    struct report_block *table = report_table_add(&blocks, "llrrrl", head);
    for (size_t i = 0; i < roofline->point_count; ++i) {
        const struct roofline_point *point = &roofline->points[i];
        const struct roofline_place place = roofline_place(roofline, point, view->arena);
        struct report_row *row = report_row_add(&blocks, table);
        char intensity[FIGURE_TEXT_BYTES];
        intensity_format(point->flop_per_byte[LEVEL_DRAM], intensity, sizeof intensity);
        row->cells[0] = point->problem;
        row->cells[1] = point->kernel;
        row->cells[2] = arena_strdup(view->arena, intensity);
        row->cells[3] = figure_flop_rate(point->gflop_per_s, view->arena);
        row->cells[4] = figure_pct(place.efficiency_pct, view->arena);
        row->cells[5] = bottleneck_name(place.diagnosis.bottleneck);
    }
    report_table_drop_empty(table);
    html_blocks_add(&blocks, 3, view->out);
}

void html_roofline_add(const struct html_view *view) {
    const struct roofline *roofline = view->options->roofline;
    struct strbuf drawing = {0};
    if (!roofline || !roofline->point_count) return;
    roofline_svg(roofline, &drawing);
    html_section_begin(view, "roofline", "Roofline");
    strbuf_add(view->out,
               "<figure><div "
               "class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"drawing of the "
               "roofline\"><img class=\"roofline\" width=\"1000\" height=\"600\" alt=\"Roofline: FLOP/s "
               "against FLOP/byte under the measured ceilings; the table below has its points.\" "
               "src=\"data:image/svg+xml;base64,");
    base64_add(view->out, strbuf_text(&drawing), drawing.length);
    strbuf_add(view->out, "\"/></div></figure>\n");
    strbuf_fini(&drawing);
    strbuf_add(view->out, "<details><summary>The points of the roofline</summary>\n");
    add_points(view, roofline);
    strbuf_add(view->out, "</details>\n");
    html_section_end(view);
}
