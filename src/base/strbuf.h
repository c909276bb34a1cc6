// SPDX-License-Identifier: Apache-2.0
//
// A growing string. {0} is empty; text is never NULL after the first add and always zero-terminated.
#ifndef BASE_STRBUF_H
#define BASE_STRBUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct strbuf {
    char *text; // owned; NULL while empty and untouched: use strbuf_text to print
    size_t length;
    size_t capacity;
};

void strbuf_add(struct strbuf *buf, const char *text);
void strbuf_add_bytes(struct strbuf *buf, const char *bytes, size_t count);
void strbuf_add_char(struct strbuf *buf, char c);
void strbuf_addf(struct strbuf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
void strbuf_addv(struct strbuf *buf, const char *format, va_list args);
// Text of foreign origin for a terminal: what steers it or cannot be seen becomes '?' (controls, C1 too, line
// separators, marks of direction, zero-width characters), without has_utf8 all that is not ASCII.
void strbuf_add_plain(struct strbuf *buf, const char *text, bool has_utf8);
// A word of a shell command, in single quotes where it needs them; the shell reads it back as it was.
void strbuf_add_shell_word(struct strbuf *buf, const char *word);
void strbuf_pad(struct strbuf *buf,
                size_t column); // spaces until length since the last newline is column (UTF-8 aware)
const char *strbuf_text(const struct strbuf *buf); // "" when empty
char *strbuf_take(struct strbuf *buf);             // the caller frees; buf is empty again
void strbuf_clear(struct strbuf *buf);             // keeps the memory
void strbuf_fini(struct strbuf *buf);

// Small helpers on plain strings.
bool str_equal(const char *a, const char *b);               // both may be NULL; NULL equals NULL only
const char *str_or(const char *text, const char *fallback); // text, or the fallback where it is NULL
bool str_starts(const char *text, const char *prefix);
bool str_ends(const char *text, const char *suffix);
int str_parse_i64(const char *text, long long *ret_value); // whole string, decimal, 0 or -1
int str_parse_u64(const char *text, unsigned long long *ret_value);
int str_parse_double(const char *text, double *ret_value); // whole string, locale-free, finite, 0 or -1
size_t str_fitting(const char *text, size_t limit); // bytes, at most limit, that cut no character of UTF-8
// A foreign word as messages show it, str_shown(name).text: plain, at most 64 bytes, "..." where more was
// left out.
struct str_shown {
    char text[64 + 4];
};
struct str_shown str_shown(const char *text);
size_t str_width(const char *text); // columns of UTF-8 text (code points; no wide characters)

// The candidate nearest to text by edit distance (at most a third of its length), or NULL: "did you mean".
const char *str_nearest(const char *text, const char *const *candidates, size_t candidate_count);

#endif
