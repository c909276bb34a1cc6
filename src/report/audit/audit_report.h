// SPDX-License-Identifier: Apache-2.0
//
// Output of `assay fuzz --audit`: a line for each case as soon as it is done, the table of wrong results,
// what to act on; and one JSON document. Counts and the exit code come from
// verdict/audit_summary.h.
#ifndef REPORT_AUDIT_AUDIT_REPORT_H
#define REPORT_AUDIT_AUDIT_REPORT_H

#include "base/strbuf.h"
#include "verdict/audit_summary.h"

#define AUDIT_REPORT_KIND           "assay.audit"
#define AUDIT_REPORT_SCHEMA_VERSION 1

struct audit_view {
    bool has_color;
    bool is_verbose; // every pair of a case and a wrong result, in place of those to act on alone
};

// "[3/27] <problem> ... 18 of 18 wrong results detected". Each appends.
void audit_case_text(const struct audit *audit, size_t case_index, bool has_color, struct strbuf *out);
void audit_report_text(struct audit *audit, const struct audit_view *view, struct strbuf *out);
void audit_report_line(const struct audit *audit, const struct audit_view *view,
                       struct strbuf *out); // its last line, which is all with --quiet
void audit_report_json(struct audit *audit, struct strbuf *out);

#endif
