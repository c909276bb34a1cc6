// SPDX-License-Identifier: Apache-2.0
//
// See plain_text.h.
#include "base/plain_text.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

#define REPLACEMENT "\xef\xbf\xbd" // U+FFFD

struct plain_text plain_text_make(const char *text, size_t length, bool has_utf8) {
    return (struct plain_text){.at = text, .end = text + length, .has_utf8 = has_utf8};
}

// GitHub looks for "::" at the start of a line, after any blanks, and for "##[" anywhere in it; Azure for
// "##vso[" and "##[", TeamCity for "##teamcity[".
static bool is_command(const char *at, bool has_begun) {
    if (at[0] == ':' && at[1] == ':') return !has_begun;
    return at[0] == '#' && at[1] == '#' && (at[2] == '[' || isalpha((unsigned char)at[2]));
}

static void escape(char *ret, size_t capacity, uint32_t c) {
    if (c == '\n')
        snprintf(ret, capacity, "\\n");
    else if (c == '\r')
        snprintf(ret, capacity, "\\r");
    else if (c < 0x80)
        snprintf(ret, capacity, "\\x%02x", (unsigned)c);
    else
        snprintf(ret, capacity, c <= 0xffff ? "\\u%04x" : "\\U%08x", (unsigned)c);
}

const char *plain_text_next(struct plain_text *text) {
    size_t length;
    if (text->at >= text->end) return NULL;
    const uint32_t c = utf8_decode(text->at, &length);
    if (c == '\t')
        memcpy(text->piece, " ", 2);
    else if (is_command(text->at, text->has_begun) || (c != UTF8_INVALID && utf8_is_hidden(c)))
        escape(text->piece, sizeof text->piece, c);
    else if (c >= 0x80 && !text->has_utf8)
        memcpy(text->piece, "?", 2);
    else if (c == UTF8_INVALID)
        memcpy(text->piece, REPLACEMENT, sizeof REPLACEMENT);
    else {
        memcpy(text->piece, text->at, length);
        text->piece[length] = 0;
    }
    text->has_begun = text->has_begun || !utf8_is_blank(c);
    text->at += length;
    return text->piece;
}
