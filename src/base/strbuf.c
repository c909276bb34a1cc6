// SPDX-License-Identifier: Apache-2.0
//
// A growing string, and foreign text made safe to print.
#include "base/strbuf.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/plain_text.h"

static void strbuf_reserve(struct strbuf *buf, size_t extra) {
    size_t needed;
    if (__builtin_add_overflow(buf->length, extra, &needed) || needed > SIZE_MAX / 4) BUG("string too long");
    ++needed;
    MEM_GROW(buf->text, buf->capacity, needed);
}

void strbuf_add_bytes(struct strbuf *buf, const char *bytes, size_t count) {
    strbuf_reserve(buf, count);
    if (count) memcpy(buf->text + buf->length, bytes, count);
    buf->length += count;
    buf->text[buf->length] = 0;
}

char *strbuf_add_room(struct strbuf *buf, size_t count) {
    strbuf_reserve(buf, count);
    char *room = buf->text + buf->length;
    buf->length += count;
    buf->text[buf->length] = 0;
    return room;
}

void strbuf_add(struct strbuf *buf, const char *text) {
    strbuf_add_bytes(buf, text, strlen(text));
}

void strbuf_add_char(struct strbuf *buf, char c) {
    strbuf_add_bytes(buf, &c, 1);
}

void strbuf_addv(struct strbuf *buf, const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    if (length < 0) BUG("format '%s' cannot be printed", format);
    strbuf_reserve(buf, (size_t)length);
    vsnprintf(buf->text + buf->length, (size_t)length + 1, format, again);
    va_end(again);
    buf->length += (size_t)length;
}

void strbuf_addf(struct strbuf *buf, const char *format, ...) {
    va_list args;
    va_start(args, format);
    strbuf_addv(buf, format, args);
    va_end(args);
}

static void add_plain(struct strbuf *buf, const char *text, size_t length, bool has_utf8) {
    struct plain_text plain = plain_text_make(text, length, has_utf8);
    for (const char *piece; (piece = plain_text_next(&plain));) strbuf_add(buf, piece);
}

void strbuf_add_plain(struct strbuf *buf, const char *text, bool has_utf8) {
    add_plain(buf, text, strlen(text), has_utf8);
}

void strbuf_add_plain_lines(struct strbuf *buf, const char *prefix, const char *text) {
    for (size_t length; *text; text += length + (text[length] != 0)) {
        length = strcspn(text, "\n");
        strbuf_add(buf, prefix);
        add_plain(buf, text, length, true);
        strbuf_add_char(buf, '\n');
    }
}

void strbuf_add_linef(struct strbuf *buf, const char *format, ...) {
    struct strbuf line = {0};
    va_list args;
    va_start(args, format);
    strbuf_addv(&line, format, args);
    va_end(args);
    strbuf_add_plain(buf, strbuf_text(&line), true);
    strbuf_add_char(buf, '\n');
    strbuf_fini(&line);
}

// Whether a word can be shown between single quotes as it is, byte by byte.
static bool is_shown_as_is(const char *word) {
    struct plain_text plain = plain_text_make(word, strlen(word), true);
    plain.has_begun = true; // a command stands before it
    for (const char *piece; (piece = plain_text_next(&plain)); word += strlen(piece))
        if (strncmp(piece, word, strlen(piece)) != 0) return false;
    return true;
}

// $'...', which bash, zsh, ksh and POSIX 2024 read: what is not plain ASCII as the octal number of each byte.
static void add_escaped_word(struct strbuf *buf, const char *word) {
    strbuf_add(buf, "$'");
    for (const unsigned char *c = (const unsigned char *)word; *c; ++c) {
        const bool is_plain = *c >= ' ' && *c <= '~' && !strchr("'\\#", *c);
        strbuf_addf(buf, is_plain ? "%c" : "\\%03o", *c);
    }
    strbuf_add_char(buf, '\'');
}

void strbuf_add_shell_word(struct strbuf *buf, const char *word) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=,+@%-";
    if (*word && strspn(word, plain) == strlen(word)) {
        strbuf_add(buf, word);
        return;
    }
    if (!is_shown_as_is(word)) {
        add_escaped_word(buf, word);
        return;
    }
    strbuf_add_char(buf, '\'');
    for (; *word; ++word) {
        if (*word == '\'')
            strbuf_add(buf, "'\\''");
        else
            strbuf_add_char(buf, *word);
    }
    strbuf_add_char(buf, '\'');
}

void strbuf_pad(struct strbuf *buf, size_t column) {
    const char *text = strbuf_text(buf);
    const char *line = buf->length ? memrchr(text, '\n', buf->length) : NULL;
    for (size_t width = str_width(line ? line + 1 : text); width < column; ++width) strbuf_add_char(buf, ' ');
}

const char *strbuf_text(const struct strbuf *buf) {
    return buf->text ? buf->text : "";
}

char *strbuf_take(struct strbuf *buf) {
    char *text = buf->text ? buf->text : mem_strdup("");
    *buf = (struct strbuf){0};
    return text;
}

void strbuf_clear(struct strbuf *buf) {
    buf->length = 0;
    if (buf->text) buf->text[0] = 0;
}

void strbuf_fini(struct strbuf *buf) {
    free(buf->text);
    *buf = (struct strbuf){0};
}

struct str_shown str_shown(const char *text) {
    struct str_shown ret = {0};
    struct strbuf plain = {0};
    strbuf_add_plain(&plain, text, true);
    size_t length = str_fitting(strbuf_text(&plain), sizeof ret.text - 4);
    memcpy(ret.text, strbuf_text(&plain), length);
    if (length < plain.length) memcpy(ret.text + length, "...", 4);
    strbuf_fini(&plain);
    return ret;
}
