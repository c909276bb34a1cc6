// SPDX-License-Identifier: Apache-2.0
//
// Text of any origin in Markdown, as GitHub and GitLab render it: shown as it is, never markup, a link, a
// picture, a formula, a mention or a command of a comment.
#ifndef REPORT_RESULT_MARKDOWN_TEXT_H
#define REPORT_RESULT_MARKDOWN_TEXT_H

#include "base/strbuf.h"

// The text is one plain line (base/plain_text.h). NULL adds nothing.
void markdown_add_text(struct strbuf *out, const char *text);
// As the first text of a block (a paragraph, a list's item), where "- ", "1. " and GitLab's "/close" mean
// something.
void markdown_add_first(struct strbuf *out, const char *text);
// Inside a fence or a span of code, which no backquote of the text may end.
void markdown_add_code(struct strbuf *out, const char *text);

#endif
