// SPDX-License-Identifier: Apache-2.0
//
// A profile as `assay profile --json` writes it, read again: its figures and its roofline. The diagnosis
// follows from the figures anew.
#ifndef REPORT_PROFILE_PROFILE_DOCUMENT_H
#define REPORT_PROFILE_PROFILE_DOCUMENT_H

#include "base/json.h"
#include "report/profile/profile_report.h"

// Of one launch. Everything lives in the arena. ERR_DATA: it is none, with the place; where: its name.
struct profile_document {
    struct profiled launch;
    struct roofline roofline; // without points: there is none
};
int profile_document_read(const struct strbuf *text, const char *where, struct arena *arena,
                          struct profile_document *ret, struct err *err);
// To be printed, while the document is there.
struct profile_report profile_document_report(const struct profile_document *document);

#endif
