// SPDX-License-Identifier: Apache-2.0
//
// The printers behind the table of formats (report_formats.c), one file each.
#ifndef CONTROL_REPORT_RESULT_REPORT_RENDER_H
#define CONTROL_REPORT_RESULT_REPORT_RENDER_H

#include "control/report/result/report.h"

int report_text_print(const struct result *result, const struct report_options *options, struct strbuf *out);
int report_markdown_print(const struct result *result, const struct report_options *options,
                          struct strbuf *out);
int report_json_print(const struct result *result, const struct report_options *options, struct strbuf *out);

#endif
