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

// Length in bytes of the character at c if it is invisible and yet changes the display of a terminal or an
// editor: controls (C1 too), the soft hyphen, zero-width characters and marks of direction (U+061C, U+200B
// to 200F, U+202A to 202E, U+2060 to 206F, U+FEFF, U+E0000 to E007F), line and paragraph separators
// (U+2028, U+2029). 0: c is no such character.
static size_t invisible_length(const unsigned char *c) {
    if (*c < 0x20 || *c == 0x7f) return 1;
    if (*c == 0xc2 && ((c[1] >= 0x80 && c[1] < 0xa0) || c[1] == 0xad)) return 2;
    if (*c == 0xd8 && c[1] == 0x9c) return 2;
    bool is_mark =
        *c == 0xe2 && c[1] == 0x80 && ((c[2] >= 0x8b && c[2] <= 0x8f) || (c[2] >= 0xa8 && c[2] <= 0xae));
    bool is_joiner = *c == 0xe2 && c[1] == 0x81 && c[2] >= 0xa0 && c[2] <= 0xaf;
    if (is_mark || is_joiner || (*c == 0xef && c[1] == 0xbb && c[2] == 0xbf)) return 3;
    bool is_tag = *c == 0xf3 && c[1] == 0xa0 && (c[2] == 0x80 || c[2] == 0x81) && c[3];
    return is_tag ? 4 : 0;
}

void strbuf_add_plain(struct strbuf *buf, const char *text, bool has_utf8) {
    for (const unsigned char *c = (const unsigned char *)text; *c; ++c) {
        size_t invisible = invisible_length(c);
        bool is_continued = (*c & 0xc0) == 0x80; // inside a character that was already replaced
        if (invisible || (!has_utf8 && *c >= 0x80 && !is_continued))
            strbuf_add_char(buf, '?');
        else if (has_utf8 || *c < 0x80)
            strbuf_add_char(buf, (char)*c);
        if (invisible) c += invisible - 1;
    }
}

void strbuf_add_shell_word(struct strbuf *buf, const char *word) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=,+@%-";
    if (*word && strspn(word, plain) == strlen(word)) {
        strbuf_add(buf, word);
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
