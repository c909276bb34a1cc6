// SPDX-License-Identifier: Apache-2.0
//
// A result as one page for a browser: charts, tables, no network. It is complete without its script, which
// sorts, filters and reads values off charts. A content security policy allows nothing but the page's own
// style and script, by their hashes.
#ifndef CONTROL_REPORT_HTML_PAGE_H
#define CONTROL_REPORT_HTML_PAGE_H

#include "control/report/result/report.h"

// Problems with charts of their own; those after them (the worst stand first) are in the tables only.
#define HTML_PROBLEMS_MAX 300
// Points drawn on a whole page, and of one side of one chart: more are thinned, and the page says so.
#define HTML_POINTS_MAX      60000
#define HTML_PLOT_POINTS_MIN 40
#define HTML_PLOT_POINTS_MAX 400

// A report format (report_formats.c). The summaries of the result are set (summary_set_all()).
int html_page_print(const struct result *result, const struct report_options *options, struct strbuf *out);

#endif
