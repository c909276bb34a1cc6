// SPDX-License-Identifier: Apache-2.0
//
// The samples of a result, per problem and side: figures with their limits, the distribution, the course over
// time, and the medians of the rounds, as text for a terminal or as one JSON document. Figures are
// verdict/summary.h's. Plain ASCII unless has_utf8.
#ifndef REPORT_SAMPLES_SAMPLE_REPORT_H
#define REPORT_SAMPLES_SAMPLE_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "record/result.h"

#define SAMPLE_REPORT_KIND           "assay.samples"
#define SAMPLE_REPORT_SCHEMA_VERSION 1
#define SAMPLE_REPORT_WIDTH_MIN      60 // narrower terminals get lines of this width

struct sample_report_options {
    const char *only; // short names or names of problems, with commas; NULL: all
    const char *side; // label, kernel or role; NULL: all
    bool has_color, has_utf8;
    size_t width; // columns
};

// Both append. ERR_USAGE: `only` or `side` names nothing; lists what there is. ERR_INTERNAL: no memory.
int sample_report_text(const struct result *result, const struct sample_report_options *options,
                       struct strbuf *out, struct err *err);
int sample_report_json(const struct result *result, const struct sample_report_options *options,
                       struct strbuf *out, struct err *err);

#endif
