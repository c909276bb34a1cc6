// SPDX-License-Identifier: Apache-2.0
//
// A result as one page for a browser: charts, tables, no network. It is complete without its script, which
// sorts, filters and reads values off charts. A content security policy allows nothing but the page's own
// style and script, by their hashes.
#ifndef REPORT_HTML_HTML_PAGE_H
#define REPORT_HTML_HTML_PAGE_H

#include "report/result/report.h"

// A report format (report_formats.c). The summaries of the result are set (summary_set_all()).
int html_page_print(const struct result *result, const struct report_options *options, struct strbuf *out);
// The page's content security policy, which it states itself: a server may send the same.
void html_page_policy(struct strbuf *out);

#endif
