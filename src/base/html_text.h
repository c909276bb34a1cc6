// SPDX-License-Identifier: Apache-2.0
//
// Foreign text in HTML, SVG and attributes: the one place that makes markup harmless.
#ifndef BASE_HTML_TEXT_H
#define BASE_HTML_TEXT_H

#include "base/strbuf.h"

// Adds the text plain (base/plain_text.h), with the marks of markup escaped: it may stand between tags and in
// quoted attributes. NULL adds nothing.
void html_add_text(struct strbuf *out, const char *text);
// Adds `before`, the text, and `after`; nothing at all if the text is NULL or empty. before and after are
// our own markup.
void html_add_between(struct strbuf *out, const char *before, const char *text, const char *after);

#endif
