// SPDX-License-Identifier: Apache-2.0
//
// See html_text.h.
#include "base/html_text.h"

#include <string.h>

#include "base/plain_text.h"

void html_add_text(struct strbuf *out, const char *text) {
    if (!text) return;
    struct plain_text plain = plain_text_make(text, strlen(text), true);
    for (const char *piece = plain_text_next(&plain); piece; piece = plain_text_next(&plain))
        strbuf_add(out, *piece == '<'    ? "&lt;"
                        : *piece == '>'  ? "&gt;"
                        : *piece == '&'  ? "&amp;"
                        : *piece == '"'  ? "&quot;"
                        : *piece == '\'' ? "&#39;"
                                         : piece);
}

void html_add_between(struct strbuf *out, const char *before, const char *text, const char *after) {
    if (!text || !*text) return;
    strbuf_add(out, before);
    html_add_text(out, text);
    strbuf_add(out, after);
}
