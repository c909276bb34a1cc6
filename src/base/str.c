// SPDX-License-Identifier: Apache-2.0
//
// Functions on plain strings that C lacks. Numbers are parsed whole or not at all, in the C locale.
#include "base/str.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
