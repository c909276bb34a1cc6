// SPDX-License-Identifier: Apache-2.0
//
// The printers behind the table of formats (report_formats.c), one file each.
#ifndef REPORT_REPORT_RENDER_H
#define REPORT_REPORT_RENDER_H

#include "report/report.h"

int report_text_print(const struct result *result, const struct report_options *options, struct strbuf *out);
int report_markdown_print(const struct result *result, const struct report_options *options,
                          struct strbuf *out);
int report_json_print(const struct result *result, const struct report_options *options, struct strbuf *out);

#endif
