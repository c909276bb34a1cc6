// SPDX-License-Identifier: Apache-2.0
//
// UTF-8 one character at a time, and which characters nobody sees.
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UTF8_INVALID UINT32_MAX

// The first character of a text that is not empty and ends with a zero. UTF8_INVALID with a length of 1: the
// byte begins no valid sequence (RFC 3629: no surrogates, no overlong forms).
uint32_t utf8_decode(const char *text, size_t *ret_length);

// True for characters that are not seen and yet change what a terminal, an editor or a page shows: controls
// (C1 too), marks of direction, zero-width and tag characters, line and paragraph separators.
bool utf8_is_hidden(uint32_t c);

// True for blanks, those outside ASCII too.
bool utf8_is_blank(uint32_t c);

#endif
