// SPDX-License-Identifier: Apache-2.0
//
// The answer of the referee for people: the sentence, what is wrong and how to see it again, the times.
#ifndef REPORT_REFEREE_REFEREE_REPORT_H
#define REPORT_REFEREE_REFEREE_REPORT_H

#include <stdbool.h>

#include "record/referee_record.h"

void referee_report_line(const struct referee_record *record, bool has_color, struct strbuf *out); // --quiet
void referee_report_text(const struct referee_record *record, bool has_color, struct strbuf *out);

#endif
