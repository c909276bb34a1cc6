// SPDX-License-Identifier: Apache-2.0
//
// Functions on plain strings that C lacks.
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <stddef.h>

bool str_equal(const char *a, const char *b);               // both may be NULL; NULL equals NULL only
const char *str_or(const char *text, const char *fallback); // text, or the fallback where it is NULL
bool str_starts(const char *text, const char *prefix);
bool str_ends(const char *text, const char *suffix);
int str_parse_i64(const char *text, long long *ret_value); // whole string, decimal, 0 or -1
int str_parse_u64(const char *text, unsigned long long *ret_value);
int str_parse_double(const char *text, double *ret_value); // whole string, locale-free, finite, 0 or -1
size_t str_fitting(const char *text, size_t limit); // bytes, at most limit, that cut no character of UTF-8
size_t str_width(const char *text);                 // columns of UTF-8 text (code points; no wide characters)

// The candidate nearest to text by edit distance (at most a third of its length), or NULL: "did you mean".
const char *str_nearest(const char *text, const char *const *candidates, size_t candidate_count);

#endif
