// SPDX-License-Identifier: Apache-2.0
//
// How large a page may get.
#ifndef REPORT_HTML_HTML_LIMITS_H
#define REPORT_HTML_HTML_LIMITS_H

// Problems with charts of their own; those after them (the worst stand first) are in the tables only.
#define HTML_PROBLEMS_MAX 300
// Points drawn on a whole page, and of one side of one chart: more are thinned, and the page says so.
#define HTML_POINTS_MAX      60000
#define HTML_PLOT_POINTS_MIN 40
#define HTML_PLOT_POINTS_MAX 400

#endif
