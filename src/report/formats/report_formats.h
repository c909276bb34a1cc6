// SPDX-License-Identifier: Apache-2.0
//
// The formats of a report, by name.
#ifndef REPORT_FORMATS_REPORT_FORMATS_H
#define REPORT_FORMATS_REPORT_FORMATS_H

#include "report/result/report.h"

struct report_format {
    const char *name;    // "text", "markdown", "json", ...
    const char *suffix;  // ".txt", ".md", ".json"
    const char *summary; // one line for help texts
    // -1: no memory. Appends; text ends with a newline.
    int (*print)(const struct result *result, const struct report_options *options, struct strbuf *out);
    bool holds_times; // only: no place for a run that counted instructions
};
const struct report_format *report_format_find(const char *name); // NULL when unknown
const struct report_format *report_format_at(size_t index);       // NULL past the end

#endif
