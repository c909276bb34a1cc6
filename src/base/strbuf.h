// SPDX-License-Identifier: Apache-2.0
//
// A growing string. {0} is empty; text is never NULL after the first add and always zero-terminated.
#ifndef BASE_STRBUF_H
#define BASE_STRBUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

struct strbuf {
    char *text; // owned; NULL while empty and untouched: use strbuf_text to print
    size_t length;
    size_t capacity;
};

void strbuf_add(struct strbuf *buf, const char *text);
void strbuf_add_bytes(struct strbuf *buf, const char *bytes, size_t count);
void strbuf_add_char(struct strbuf *buf, char c);
char *strbuf_add_room(struct strbuf *buf, size_t count); // adds bytes that the caller fills
void strbuf_addf(struct strbuf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
void strbuf_addv(struct strbuf *buf, const char *format, va_list args);
// Adds foreign text as one line that is shown and never obeyed (base/plain_text.h).
void strbuf_add_plain(struct strbuf *buf, const char *text, bool has_utf8);
// Adds each line of a foreign text, made plain, behind the prefix; every line ends with a newline.
void strbuf_add_plain_lines(struct strbuf *buf, const char *prefix, const char *text);
// Adds one line that quotes foreign text: formatted, made plain, and a newline.
void strbuf_add_linef(struct strbuf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Adds a word of a shell command, quoted when needed, so that the shell reads exactly this word: in single
// quotes, or as $'...' where it holds what is not shown.
void strbuf_add_shell_word(struct strbuf *buf, const char *word);
// Adds spaces until the last line has that many columns (code points of UTF-8).
void strbuf_pad(struct strbuf *buf, size_t column);
const char *strbuf_text(const struct strbuf *buf); // "" when empty
char *strbuf_take(struct strbuf *buf);             // the caller frees; buf is empty again
void strbuf_clear(struct strbuf *buf);             // keeps the memory
void strbuf_fini(struct strbuf *buf);

// A foreign word prepared for a message, str_shown(name).text: made plain as above, at most 64 bytes,
// "..." if it was cut.
struct str_shown {
    char text[64 + 4];
};
struct str_shown str_shown(const char *text);

#endif
