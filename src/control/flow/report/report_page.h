// SPDX-License-Identifier: Apache-2.0
//
// A result as a page for a browser, with the roofline where there is one.
#ifndef CONTROL_FLOW_REPORT_REPORT_PAGE_H
#define CONTROL_FLOW_REPORT_REPORT_PAGE_H

#include "base/arena.h"
#include "base/err.h"
#include "report/result/report.h"
#include "verdict/classic/comparison_document.h"
#include "verdict/classic/result_comparison.h"

int report_page_add(const struct result *result, struct report_options report, struct strbuf *out,
                    struct err *err);
// Of every such page, for a server's header; frames of the same server may show it.
const char *report_page_policy(struct arena *arena);
// The report on the candidate of two results that were compared.
struct report_options report_of_comparison(const struct result_comparison *comparison);
// The same of a comparison's document, which must outlive them.
struct report_options report_of_document(const struct comparison_document *document);

#endif
