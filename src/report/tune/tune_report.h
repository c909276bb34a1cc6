// SPDX-License-Identifier: Apache-2.0
//
// A tuning for people: what was found and what became of every variant, as text, and as the log that stays
// in its folder.
#ifndef REPORT_TUNE_TUNE_REPORT_H
#define REPORT_TUNE_TUNE_REPORT_H

#include <stdbool.h>

#include "base/strbuf.h"
#include "record/tune_record.h"

void tune_report_line(const struct tune_record *record, bool has_color, struct strbuf *out); // --quiet
void tune_report_text(const struct tune_record *record, bool has_color, struct strbuf *out);
// The dispatch table: ranges of problems and their settings. Needs choices.
void tune_report_header(const struct tune_record *record, struct strbuf *out);
void tune_report_log(const struct tune_record *record, struct strbuf *out); // Markdown

#endif
