// SPDX-License-Identifier: Apache-2.0
//
// The table of report formats: a new one is a file and a line here.
#include "control/report/result/report_render.h"

static const struct report_format formats[] = {
    {"text", ".txt", "aligned tables for a terminal", report_text_print},
    {"markdown", ".md", "for pull-request comments and step summaries", report_markdown_print},
    {"json", ".json", "the result document", report_json_print},
};
#define FORMAT_COUNT (sizeof formats / sizeof *formats)

const struct report_format *report_format_at(size_t index) {
    return index < FORMAT_COUNT ? &formats[index] : NULL;
}

const struct report_format *report_format_find(const char *name) {
    for (size_t i = 0; i < FORMAT_COUNT; ++i)
        if (str_equal(name, formats[i].name)) return &formats[i];
    return NULL;
}
