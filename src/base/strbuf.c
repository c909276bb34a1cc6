// SPDX-License-Identifier: Apache-2.0
//
// A growing string and the few string helpers that C lacks. Numbers are parsed whole or not at all, in the C
// locale.
#include "base/strbuf.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
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

// Bytes of the character at c when it shows nothing and yet changes what a terminal or an editor shows:
// controls (C1 too), the soft hyphen, zero-width characters and marks of direction (U+061C, U+200B to 200F,
// U+202A to 202E, U+2060 to 206F, U+FEFF, U+E0000 to E007F), line and paragraph separators (U+2028, U+2029).
// 0: it is none.
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
        bool is_continued = (*c & 0xc0) == 0x80; // of a character that was replaced whole
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

bool str_equal(const char *a, const char *b) {
    if (!a || !b) return a == b;
    return strcmp(a, b) == 0;
}

const char *str_or(const char *text, const char *fallback) {
    return text ? text : fallback;
}

bool str_starts(const char *text, const char *prefix) {
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool str_ends(const char *text, const char *suffix) {
    size_t length = strlen(text), suffix_length = strlen(suffix);
    return length >= suffix_length && strcmp(text + length - suffix_length, suffix) == 0;
}

int str_parse_i64(const char *text, long long *ret_value) {
    const char *digits = *text == '-' ? text + 1 : text;
    if (!isdigit((unsigned char)*digits)) return -1;
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (errno || *end) return -1;
    *ret_value = value;
    return 0;
}

int str_parse_u64(const char *text, unsigned long long *ret_value) {
    if (!isdigit((unsigned char)*text)) return -1; // strtoull would accept and wrap a minus sign
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (errno || *end) return -1;
    *ret_value = value;
    return 0;
}

int str_parse_double(const char *text, double *ret_value) {
    size_t length = strlen(text);
    if (length == 0 || strspn(text, "0123456789+-.eE") != length) return -1; // no blanks, hex, inf or nan
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (c_locale == (locale_t)0) return -1;
    char *end;
    double value = strtod_l(text, &end, c_locale);
    freelocale(c_locale);
    if (*end || !isfinite(value)) return -1;
    *ret_value = value;
    return 0;
}

size_t str_fitting(const char *text, size_t limit) {
    size_t length = strnlen(text, limit + 1);
    if (length <= limit) return length;
    for (length = limit; length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80; --length) continue;
    return length;
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

size_t str_width(const char *text) {
    size_t width = 0;
    for (; *text; ++text) width += ((unsigned char)*text & 0xc0) != 0x80; // continuation bytes have no width
    return width;
}

enum { NEAREST_LENGTH_MAX = 128 };

// Edits between a and b: insert, delete, replace, swap of neighbours (optimal string alignment). Three rows
// suffice.
static size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length) {
    size_t rows[3][NEAREST_LENGTH_MAX + 1];
    for (size_t j = 0; j <= b_length; ++j) rows[0][j] = j;
    for (size_t i = 1; i <= a_length; ++i) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3], *above_that = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_length; ++j) {
            size_t best = above[j - 1] + (a[i - 1] != b[j - 1]);
            if (above[j] + 1 < best) best = above[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            bool is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (is_swap && above_that[j - 2] + 1 < best) best = above_that[j - 2] + 1;
            row[j] = best;
        }
    }
    return rows[a_length % 3][b_length];
}

const char *str_nearest(const char *text, const char *const *candidates, size_t candidate_count) {
    size_t length = strlen(text);
    if (length > NEAREST_LENGTH_MAX) return NULL;
    const char *nearest = NULL;
    size_t nearest_distance = length / 3 + 1;
    for (size_t i = 0; i < candidate_count; ++i) {
        size_t candidate_length = strlen(candidates[i]);
        if (candidate_length > NEAREST_LENGTH_MAX) continue;
        size_t distance = edit_distance(text, length, candidates[i], candidate_length);
        if (distance < nearest_distance) {
            nearest = candidates[i];
            nearest_distance = distance;
        }
    }
    return nearest;
}
