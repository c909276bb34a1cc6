// SPDX-License-Identifier: Apache-2.0
//
// Output of `assay calibrate`: text for people, and one JSON document with the new studies and the pooled
// calibration. Nothing is computed here: figures come from verdict/calibration/calibration_summary.h.
#ifndef REPORT_CALIBRATION_CALIBRATION_REPORT_H
#define REPORT_CALIBRATION_CALIBRATION_REPORT_H

#include "base/strbuf.h"
#include "record/calibration.h"
#include "report/result/report_block.h"
#include "verdict/calibration/calibration_summary.h"

#define CALIBRATION_REPORT_KIND                                                                              \
    "assay.calibrate" // the document's "kind" key; what is stored is CALIBRATION_KIND
#define CALIBRATION_REPORT_SCHEMA_VERSION 1

struct calibration_report {
    const struct calibration *calibration; // all that is stored
    const struct calibration_summary *summary;
    size_t study_count;
    const struct calibration_study *studies; // made by this command, the newest last
    size_t earlier_count;                    // studies of the same kernel and conditions, made before
    const char *store_path;                  // NULL: nothing was stored
    const char *results_path;                // folder of the last run
};

// Each appends; the text is calibration_text.c's, the document calibration_json.c's.
void calibration_report_text(const struct calibration_report *report, bool has_color, struct strbuf *out);
void calibration_report_json(const struct calibration_report *report, struct strbuf *out);

// Adds power against true change as lines of at most 80 columns to a block of lines (calibration_chart.c).
void calibration_chart_add(const struct calibration_summary *summary, struct report_blocks *blocks);

#endif
