// SPDX-License-Identifier: Apache-2.0
//
// See markdown_text.h. Code hosts look for names, numbers and addresses in what they have rendered, escaped
// or not: a comment of HTML between two characters keeps them text there.
#include "report/result/markdown_text.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static bool is_letter_or_digit(char c) {
    return isalnum((unsigned char)c) != 0;
}

// "@name", "#12", GitLab's "!12", "%12", "~label", "&12".
static bool is_reference(const char *text) {
    return strchr("@#!%~&", *text) && is_letter_or_digit(text[1]);
}

// ":smile:" becomes a picture.
static bool is_emoji(const char *text) {
    const size_t length =
        *text == ':' ? strspn(text + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-")
                     : 0;
    return length && text[1 + length] == ':';
}

// Behind the colon of "https://", and in "www.host". text[-i] may be read for i <= before.
static bool is_address(const char *text, size_t before) {
    return str_starts(text, "://") || (before >= 2 && strncasecmp(text - 2, "www.", 4) == 0);
}

// The hyphen of "GH-12".
static bool is_issue(const char *text, size_t before) {
    return before >= 2 && strncasecmp(text - 2, "GH-", 3) == 0 && is_letter_or_digit(text[1]);
}

void markdown_add_text(struct strbuf *out, const char *text) {
    for (const char *c = text; c && *c; ++c) {
        const size_t before = (size_t)(c - text);
        if (*c == '$') { // begins a formula, unless it stands alone in an element
            strbuf_add(out, "<span>$</span>");
            continue;
        }
        if (strchr("\\`*_{}[]<>|#&~", *c)) strbuf_add_char(out, '\\'); // entities among it: "&#27;"
        strbuf_add_char(out, *c);
        if (is_reference(c) || is_emoji(c) || is_address(c, before) || is_issue(c, before))
            strbuf_add(out, "<!-- -->");
    }
}

void markdown_add_first(struct strbuf *out, const char *text) {
    if (!text) return;
    text += strspn(text, " "); // four would begin code
    const size_t digits = strspn(text, "0123456789");
    const bool is_number = digits && (text[digits] == '.' || text[digits] == ')') &&
                           (!text[digits + 1] || text[digits + 1] == ' ');
    if (is_number) {
        strbuf_add_bytes(out, text, digits);
        text += digits;
    }
    if (is_number || (*text && strchr("-+=/", *text))) strbuf_add_char(out, '\\');
    markdown_add_text(out, text);
}

void markdown_add_code(struct strbuf *out, const char *text) {
    for (const char *c = text; c && *c; ++c) strbuf_add_char(out, *c == '`' ? '\'' : *c);
}
