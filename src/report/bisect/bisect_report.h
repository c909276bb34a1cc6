// SPDX-License-Identifier: Apache-2.0
//
// A bisect as text for people: the finding first, then every commit that was tried.
#ifndef REPORT_BISECT_BISECT_REPORT_H
#define REPORT_BISECT_BISECT_REPORT_H

#include <stdbool.h>

#include "base/strbuf.h"
#include "record/bisect_record.h"

#define BISECT_SHORT_ID 10 // digits of a commit that are shown

// "changed: 6.1 % slower (5.8 to 6.4), 10 rounds": one line without a newline.
void bisect_step_text(const struct bisect_step *step, struct strbuf *out);
void bisect_report_line(const struct bisect_record *record, bool has_color, struct strbuf *out); // --quiet
void bisect_report_text(const struct bisect_record *record, bool has_color, struct strbuf *out);

#endif
