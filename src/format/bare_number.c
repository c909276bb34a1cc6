// SPDX-License-Identifier: Apache-2.0
//
// Finds NaN and Infinity where JSON has a value. A value begins after a colon, a comma or a bracket, and ends
// before a comma, a bracket, a blank or the end.
#include "format/bare_number.h"

#include <string.h>

static const char *const words[] = {"NaN", "-NaN", "Infinity", "-Infinity"};

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// Length of the bare number at `at`; 0: there is none.
static size_t word_length(const char *at, const char *end) {
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
        size_t length = strlen(words[i]);
        if ((size_t)(end - at) < length || memcmp(at, words[i], length) != 0) continue;
        const char *after = at + length;
        if (after == end || is_blank(*after) || *after == ',' || *after == '}' || *after == ']')
            return length;
    }
    return 0;
}

// Returns the place after the string whose opening quote is at `at`.
static const char *string_end(const char *at, const char *end) {
    for (++at; at < end && *at != '"'; ++at)
        if (*at == '\\' && at + 1 < end) ++at;
    return at < end ? at + 1 : end;
}

size_t bare_number_replace(const char *text, size_t length, bool is_text, struct strbuf *out) {
    const char *at = text, *end = text + length, *copied = text;
    size_t count = 0;
    bool is_value = false; // does a value begin here?
    while (at < end) {
        size_t word = is_value && (*at == 'N' || *at == 'I' || *at == '-') ? word_length(at, end) : 0;
        if (word) {
            strbuf_add_bytes(out, copied, (size_t)(at - copied));
            strbuf_add(out, is_text ? "\"NaN\"" : "null");
            at = copied = at + word;
            ++count;
            is_value = false;
        } else if (*at == '"') {
            at = string_end(at, end);
            is_value = false;
        } else {
            is_value = *at == ':' || *at == ',' || *at == '[' || (is_value && is_blank(*at));
            ++at;
        }
    }
    strbuf_add_bytes(out, copied, (size_t)(end - copied));
    return count;
}
