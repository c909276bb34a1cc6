// SPDX-License-Identifier: Apache-2.0
//
// The style sheet and the script of a page (report.css, report.js), embedded in this program.
#ifndef REPORT_HTML_HTML_ASSETS_H
#define REPORT_HTML_HTML_ASSETS_H

extern const char html_style[], html_script[]; // end with a zero

#endif
